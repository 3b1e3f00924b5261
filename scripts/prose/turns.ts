/** The turns of phrase that `npm run lint` refuses, each with what a writer should write instead. */

/** A turn of phrase that a reader has to decode. */
export interface Turn {
  readonly name: string;
  /** A space in the pattern also matches the end of a line. */
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Turns that are refused wherever they stand. */
export const TURNS: readonly Turn[] = [
  { name: 'but for', pattern: /\b[Bb]ut for\b/, instead: '"except" or "without"' },
  {
    name: 'nothing but',
    pattern: /\b([Nn]othing|[Nn]one|[Nn]obody|[Aa]nything|[Nn]owhere|[Aa]ll|[Ee]verything) but\b/,
    instead: '"only", "all except" or "anything except"',
  },
  { name: 'spares', pattern: /\b[Ss]par(es|ed)\b/, instead: '"so that … need not" or "saves"' },
  {
    name: 'the same of',
    pattern: /(?<=^|[.:;] )The same (as|by|for|from|in|of|on|to|with)\b/,
    instead: 'the thing or the action that is the same',
  },
  {
    name: 'what comes of it',
    pattern: /\b(comes?|coming|came) of (it|them|these|this|that|what)\b/,
    instead: '"results from" or "happens to"',
  },
  {
    name: 'tell apart',
    pattern: /\b(tell|tells|told|telling) (?!how )([^.,;:]{1,30} )?apart\b/,
    instead: '"distinguish"',
  },
  {
    name: 'says something of',
    pattern:
      /\b(say|says|said|sees?|shows?|tell|tells|told|know|knows|known|learns?|learnt) (anything|it|little|nothing|something) of\b/,
    instead: '"about" in place of "of"',
  },
  {
    name: 'what is no',
    pattern: /\b[Ww]hat (is|are|was) no\b/,
    instead: 'a noun, such as "a value that is not a number"',
  },
  {
    name: 'so many',
    pattern: /\b([Ss]o (few|many|much))\b(?! as\b)(?![^.;:]{0,60} that\b)/,
    instead: '"a given number of", or the name of the number',
  },
  {
    name: 'as they come',
    pattern: /\bas [a-z]+ as (it|they) comes?\b/,
    instead: 'the largest case by name',
  },
  { name: 'whose every', pattern: /\bwhose every\b/, instead: '"in which every … is"' },
  { name: 'in the mean', pattern: /\bin the mean\b/, instead: '"on average"' },
  { name: 'in the midst of', pattern: /\bin the midst of\b/, instead: '"in the middle of" or "during"' },
  {
    name: 'who for whoever',
    pattern: /(?<=[.;:] )Who (?=[a-z])(?![^.?]*\?)/,
    instead: '"Anyone who", or the people by name',
  },
  {
    name: 'that is none',
    pattern: /\b(that|which|who) (is|are|was) none\b/,
    instead: '"is not a" and the noun',
  },
  { name: 'what of', pattern: /\b[Ww]hat of\b/, instead: '"the part of … that"' },
  { name: 'such of', pattern: /\bsuch of\b/, instead: '"those of" or the noun' },
  { name: 'in the place of', pattern: /\bin the place of\b/, instead: '"in place of" or "instead of"' },
  { name: 'sees to it', pattern: /\b(sees?|seen|saw) to (it|that|this)\b/, instead: '"ensures"' },
  { name: 'next to nothing', pattern: /\bnext to nothing\b/, instead: '"almost nothing" or "almost zero"' },
  { name: 'and the like', pattern: /\b(and|or) the like\b/, instead: '"and similar", with the noun' },
  {
    name: 'take off',
    pattern: /\b(take|takes|taken|took|taking) ([a-z]+ )?off\b/,
    instead: '"subtract" or "remove"',
  },
  { name: 'in its turn', pattern: /\bin (its|their) turn\b/, instead: '"then"' },
  { name: 'looks whether', pattern: /\b[Ll]ook(s|ed|ing)? (if|whether)\b/, instead: '"checks whether"' },
  { name: 'is to be', pattern: /\b(is|are) (not )?to be\b/, instead: '"must be", "will be" or "should be"' },
  { name: 'mend', pattern: /\b[Mm]end(s|ed|ing)?\b/, instead: '"repair", "fix" or "correct"' },
  { name: 'else for otherwise', pattern: /[,;.] [Ee]lse\b|\bwould else\b/, instead: '"otherwise"' },
  {
    name: 'old words',
    // Names of many words, such as of experiments, keep theirs.
    pattern: /(?<!-)\b([Aa]new|[Ll]est|[Tt]hereby|[Tt]herein|[Tt]hereof|[Ww]hereby|[Ww]hence|[Aa]lbeit)\b/,
    instead: 'the everyday word, such as "again"',
  },
];

/** Openings that are refused at the start of a comment, which they leave without a subject. */
export const OPENINGS: readonly Turn[] = [
  {
    name: 'opens with a relative clause',
    pattern: /^(What|How|Whether|Which|Who|Whom|Whose|That (?!is\b|was\b)|Why)\b(?![^.]*\?)/,
    instead: 'a noun ("The rows that …", "The number of …", "True if …") or a verb ("Returns whether …")',
  },
  {
    name: 'opens with "of"',
    pattern: /^(Of|Those|That of|The one of|The ones of|The others)\b/,
    instead: 'the thing itself ("The digest of …") or a verb ("Makes a projector from …")',
  },
  {
    name: 'opens with a phrase that no sentence follows',
    pattern:
      /^(After|Among|As|At|Before|Behind|Beside|Between|By|For|From|If|In|On|Over|Per|Since|To|Under|Up to|When|Where|With|Without)\b(?![^.]*[,:])[^.]*(\.(?= |$)|$)/,
    instead: 'a subject ("One entry per owner."), or a comma behind an introductory phrase',
  },
];

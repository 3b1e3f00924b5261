/** Draws what was read of a file: for each feature the cells that count, are clipped, or are missing. */
import './row-picture.css';
import { useState } from 'preact/hooks';
import { Button } from '../common/controls.tsx';
import { count, number } from '../common/format.ts';
import { Table } from '../common/table.tsx';
import { Untrusted } from '../common/text.tsx';
import type { MissingCells } from './jobs.ts';

interface Read {
  readonly rows: number;
  readonly skippedRows: number;
  readonly clippedCells: readonly number[];
  readonly missingCells: MissingCells;
  /** Cells that are no numbers, which a histogram counts. */
  readonly unreadableCells?: readonly number[];
}

/** The most features that are drawn at first. */
const FIRST_DRAWN = 12;

const PARTS = {
  within: 'within its range',
  clipped: 'clipped to its range',
  missing: 'missing, or no number',
} as const;

export function RowPicture(props: { readonly names: readonly string[]; readonly read: Read }) {
  const { names, read } = props;
  const { rows, skippedRows, clippedCells, missingCells, unreadableCells = [] } = read;
  const [isWhole, setWhole] = useState(false);
  // Features with most to look at come first.
  const features = names
    .map((name, i) => {
      const clipped = clippedCells[i] ?? 0;
      const missing = (missingCells.get(name) ?? 0) + (unreadableCells[i] ?? 0);
      return { name, clipped, missing, within: rows - clipped - (unreadableCells[i] ?? 0) };
    })
    .toSorted((a, b) => b.clipped + b.missing - a.clipped - a.missing);
  const drawn = isWhole ? features : features.slice(0, FIRST_DRAWN);
  const total = Math.max(1, rows + skippedRows);
  const others = [...missingCells].filter(([name]) => !names.includes(name));
  return (
    <>
      <p>
        <strong>{count(rows, 'row')}</strong> count{rows === 1 ? 's' : ''}
        {skippedRows > 0 && <>, {number(skippedRows)} left out, since a value is missing</>}.
      </p>
      <p class="hint">
        {Object.entries(PARTS).map(([part, words]) => (
          <span key={part}>
            <Key part={part} /> {words}{' '}
          </span>
        ))}
        {skippedRows > 0 && (
          <span>
            <Key part="" /> left out with its row
          </span>
        )}
      </p>
      <Table
        caption="Values by feature"
        rows={drawn}
        keyOf={({ name }) => name}
        columns={[
          { head: 'Feature', cell: ({ name }) => <Untrusted text={name} longest={60} /> },
          // Counts stand before the bar, so that a narrow screen shows them.
          { head: 'Clipped', numeric: true, cell: ({ clipped }) => number(clipped) },
          { head: 'Missing', numeric: true, cell: ({ missing }) => number(missing) },
          {
            head: 'Share',
            cell: ({ within, clipped, missing }) => (
              <Bar parts={{ within, clipped, missing }} total={total} />
            ),
          },
        ]}
      />
      {others.map(([name, cells]) => (
        <p key={name}>
          {count(cells, 'value')} missing in <Untrusted text={name} longest={60} />.
        </p>
      ))}
      {features.length > FIRST_DRAWN && (
        <Button onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show fewer' : `Show all ${number(features.length)} features`}
        </Button>
      )}
    </>
  );
}

function Bar({
  parts,
  total,
}: {
  readonly parts: Readonly<Record<keyof typeof PARTS, number>>;
  readonly total: number;
}) {
  let from = 0;
  return (
    <svg class="bar" viewBox={`0 0 ${total} 1`} preserveAspectRatio="none" aria-hidden="true">
      {Object.entries(parts).map(([part, cells]) => {
        const x = from;
        from += cells;
        return <rect key={part} class={part} x={x} y={0} width={cells} height={1} />;
      })}
    </svg>
  );
}

function Key({ part }: { readonly part: string }) {
  return (
    <svg class="key" viewBox="0 0 1 1" aria-hidden="true">
      {part !== '' && <rect class={part} width={1} height={1} />}
    </svg>
  );
}

/** The command line eigenveil-owner. What an action works with is loaded when it runs: --help and mistakes are told at once. */
import { access, constants, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import {
  addSettings,
  ConfigurationError,
  createProgram,
  printResult,
  readJsonFile,
  readTextFile,
} from '@eigenveil/command';
import { type Task, TaskId, Thumbprint } from '@eigenveil/task/schema';
import { ServiceUrl } from '@eigenveil/wire/service-url';
import type { Command } from 'commander';
import { z } from 'zod';
import type { DataOwner, ServiceAddress } from './data-owner.ts';
import type { OwnerPolicy } from './policy.ts';
import type { TaskResult } from './result.ts';

const PREFIX = 'EIGENVEIL_OWNER';

const OWNER_SETTINGS = {
  home: {
    schema: z.string().min(1),
    description: "folder of the owner's key, enrolment and receipts",
    default: join(homedir(), '.eigenveil', 'owner'),
    placeholder: 'DIR',
  },
  patienceSeconds: {
    schema: z.int().min(0).max(86_400),
    description: 'how long to go on trying while a service is down',
    default: 30,
    placeholder: 'NUMBER',
  },
} as const;

const DATA_USER_ADDRESS = {
  userUrl: { schema: ServiceUrl, description: 'address of the data user, https', placeholder: 'URL' },
  userCa: {
    schema: z.string().optional(),
    description: "certificates to trust instead of the system's, PEM",
    placeholder: 'FILE',
  },
} as const;

const POLICY_SETTINGS = {
  policy: {
    schema: z.string().optional(),
    description: "JSON file of the owner's policy",
    placeholder: 'FILE',
  },
  allowSimulated: {
    schema: z.boolean(),
    description: 'take part in tasks with the simulated two-party protocol, which is NOT private',
    default: false,
  },
} as const;

const IGNORE_SETTING = {
  schema: z.array(z.string()),
  description: 'column of the file to leave out, or a JSON list of them',
  default: [],
  placeholder: 'LIST',
};

const UNCOVERED =
  'note: no guarantee of differential privacy covers reduced rows: keep them like the rows themselves';

const POLICY_HELP = `
The policy (--policy FILE) says what the owner agrees to; a task that breaks it is refused before a row is read:
  { "minimumOwners": 5, "minimumKeyBits": 3072, "twoParty": [], "maximumComponents": 20,
    "allowSpectrum": false, "allowFullRank": false,
    "allowWithoutDifferentialPrivacy": false, "maximumEpsilon": 1, "maximumDelta": 1e-6,
    "neighbours": "add-remove", "noise": "servers", "colludingOwners": 1 }
colludingOwners is for tasks whose owners add the noise: minimumOwners must be at least honestOwners and so many more.`;

export function ownerProgram(): Command {
  const program = createProgram({
    name: 'eigenveil-owner',
    version: '0.1.0',
    description:
      'The data owner: contributes encrypted statistics of its rows, and reduces rows by the projection.',
  });
  addEnrol(program);
  addContribute(program);
  addWithdraw(program);
  addProject(program);
  addVerify(program);
  return program;
}

function addEnrol(program: Command): void {
  const command = program.command('enrol').description('enrol at the CSP with a one-time token');
  const configuration = addSettings(command, PREFIX, {
    ...OWNER_SETTINGS,
    cspUrl: { schema: ServiceUrl, description: 'address of the CSP, https', placeholder: 'URL' },
    cspCa: {
      schema: z.string().optional(),
      description: "certificates to trust instead of the system's, PEM",
      placeholder: 'FILE',
    },
    cspThumbprint: {
      schema: Thumbprint,
      description: "thumbprint of the CSP's identity key, learnt over a channel that you trust",
      placeholder: 'THUMBPRINT',
    },
    token: {
      schema: z.string().min(20),
      description: 'one-time enrolment token; better in the environment than here',
      placeholder: 'TOKEN',
    },
  });
  command.addHelpText(
    'after',
    `
Enrolling again, with another token, keeps the owner id and renews the owner token. Several owners on one machine need a
--home each; keep a copy of it, for it holds the key and the receipts.

Example:
  $ ${PREFIX}_TOKEN=… eigenveil-owner enrol --csp-url https://csp.example.org:8443 --csp-thumbprint THUMBPRINT`,
  );
  command.action(async () => {
    const settings = configuration();
    const { cspUrl, cspCa, cspThumbprint, token } = settings;
    const csp = await address(cspUrl, cspCa, '--csp-ca');
    const { ownerId } = await withOwner(settings, await readPolicy(), (owner) =>
      owner.enrol(csp, token, cspThumbprint),
    );
    printResult(command, { json: { ownerId }, text: `enrolled as ${ownerId}` });
  });
}

function addContribute(program: Command): void {
  const command = program
    .command('contribute <TASK>')
    .description('contribute the encrypted statistics of a CSV file to a task');
  const configuration = addSettings(command, PREFIX, {
    ...OWNER_SETTINGS,
    ...DATA_USER_ADDRESS,
    ...POLICY_SETTINGS,
    data: {
      schema: z.string().min(1),
      description: 'CSV file with a header row, plain or .gz',
      placeholder: 'FILE',
    },
    ignore: IGNORE_SETTING,
    strict: {
      schema: z.boolean(),
      description: "refuse cells outside their feature's range instead of clipping them",
      default: false,
    },
    discardPending: {
      schema: z.boolean(),
      description: 'give up what was prepared from another file and has no receipt',
      default: false,
    },
  });
  command.addHelpText(
    'after',
    `${POLICY_HELP}

Running it again after a lost answer reads the file again and sends the same bytes; once there is a receipt, it shows the receipt and
reads nothing. Other rows than those of a contribution without a receipt are refused (ERR_CONTRIBUTION_PENDING): give the first file
again, or withdraw, which is for good, or give the first one up with --discard-pending. The last is not possible where owners add the noise
of differential privacy, since noise is drawn once.

Example:
  $ eigenveil-owner contribute TASK --user-url https://user.example.org:8444 --data rows.csv --ignore id`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { data, strict, ignore, discardPending } = settings;
    const dataUser = await address(settings.userUrl, settings.userCa);
    const policy = await readPolicy(settings.policy, settings.allowSimulated);
    const [{ readFileBytes, statisticsOfCsv }, { constantFeatures }] = await Promise.all([
      import('@eigenveil/statistics'),
      import('@eigenveil/task'),
    ]);
    let summary: Summary | undefined;
    const summarise = async (task: Task) => {
      const { statistics, rows, clippedCells, clippedRows } = await statisticsOfCsv(
        readFileBytes(data),
        task,
        {
          strict,
          ignoredColumns: ignore,
        },
      );
      const clipped = task.features
        .map(({ name }, i) => [name, clippedCells[i]!] as const)
        .filter(([, cells]) => cells > 0);
      summary = {
        rows,
        clipped: Object.fromEntries(clipped),
        clippedRows,
        constant: constantFeatures(task),
      };
      return statistics;
    };
    const receipt = await withOwner(settings, policy, (owner) =>
      owner.contribute(dataUser, taskIdOf(id), summarise, { discardPending }),
    );
    warn(summary);
    printResult(command, {
      json: { receipt, repeated: summary === undefined, ...summary },
      text:
        summary === undefined
          ? `contributed before, with the receipt of ${receipt.receivedAt}; ${data} was not read`
          : `contributed ${summary.rows} rows; receipt of ${receipt.receivedAt}`,
    });
  });
}

function addWithdraw(program: Command): void {
  const command = program
    .command('withdraw <TASK>')
    .description('withdraw from a task that is still open, for good');
  const configuration = addSettings(command, PREFIX, {
    ...OWNER_SETTINGS,
    ...DATA_USER_ADDRESS,
    cspUrl: {
      schema: ServiceUrl.optional(),
      description: 'address of the CSP, which is told too (default: as at the enrolment)',
      placeholder: 'URL',
    },
    cspCa: {
      schema: z.string().optional(),
      description: "certificates to trust instead of the system's, PEM",
      placeholder: 'FILE',
    },
    insist: {
      schema: z.boolean(),
      description: 'tell the CSP, too, if the data user refuses or does not answer',
      default: false,
    },
  });
  command.addHelpText(
    'after',
    `
From now on this owner contributes nothing more to the task. If no answer comes, give the command again. With --insist the CSP does not
count this owner's record, whatever the data user says. If the data user has used the contribution, the task then fails for all.`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { userUrl, userCa, cspUrl, cspCa, insist } = settings;
    const dataUser = await address(userUrl, userCa);
    const csp = cspUrl === undefined ? undefined : await address(cspUrl, cspCa, '--csp-ca');
    const confirmed = await withOwner(settings, await readPolicy(), (owner) =>
      owner.withdraw(dataUser, taskIdOf(id), { csp, insist }),
    );
    printResult(command, {
      json: { withdrawn: id, confirmed },
      text: confirmed
        ? `withdrawn from ${id}`
        : `withdrawn from ${id} at the CSP, without the data user: if it uses the contribution, the task fails`,
    });
  });
}

function addProject(program: Command): void {
  const command = program
    .command('project <TASK>')
    .description('fetch the signed projection and reduce rows by it');
  const configuration = addSettings(command, PREFIX, {
    ...OWNER_SETTINGS,
    ...DATA_USER_ADDRESS,
    ...POLICY_SETTINGS,
    data: { schema: z.string().optional(), description: 'CSV file of rows to reduce', placeholder: 'FILE' },
    out: {
      schema: z.string().optional(),
      description: 'where to write the reduced rows, CSV',
      placeholder: 'FILE',
    },
    save: {
      schema: z.string().optional(),
      description: 'where to write the projection, JSON',
      placeholder: 'FILE',
    },
    evidence: {
      schema: z.string().optional(),
      description: 'where to write all that was signed about the result, JSON, for: eigenveil-owner verify',
      placeholder: 'FILE',
    },
  });
  command.addHelpText(
    'after',
    `
Reduced rows are rows in other coordinates. No guarantee of differential privacy covers them, whatever the task promises for the
projection itself: keep them like the rows.

Example:
  $ eigenveil-owner project TASK --user-url https://user.example.org:8444 --data rows.csv --out reduced.csv`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { data, out, save, evidence } = settings;
    await checkOutputs(settings);
    const dataUser = await address(settings.userUrl, settings.userCa);
    const policy = await readPolicy(settings.policy, settings.allowSimulated);
    const result = await withOwner(settings, policy, (owner) => owner.result(dataUser, taskIdOf(id)));
    const { task, projection, provenance } = result;
    if (save !== undefined) await writeFile(save, `${JSON.stringify(projection, null, 2)}\n`);
    if (evidence !== undefined) await writeFile(evidence, `${JSON.stringify(result.evidence)}\n`);
    const { reduceFile } = await import('./reduce.ts');
    const rows = data === undefined ? 0 : await reduceFile(task, projection, data, out!);
    printResult(command, {
      json: {
        components: projection.vectors.length,
        eigenvalues: projection.eigenvalues,
        rows,
        out,
        save,
        evidence,
        provenance,
        // Of reduced rows there is never one.
        differentialPrivacy: { projection: task.differentialPrivacy, reducedRows: null },
      },
      text: `${projection.vectors.length} components; ${describeOwners(provenance)}${data === undefined ? '' : `; ${rows} rows reduced to ${out}\n${UNCOVERED}`}`,
    });
  });
}

function addVerify(program: Command): void {
  const command = program
    .command('verify <TASK>')
    .description('check a result that was fetched before, without any service');
  const configuration = addSettings(command, PREFIX, {
    home: OWNER_SETTINGS.home,
    evidence: {
      schema: z.string().min(1),
      description: 'file that "project --evidence" has written',
      placeholder: 'FILE',
    },
  });
  command.addHelpText(
    'after',
    `
Checks that the CSP has signed the task, has verified this owner's contribution among others, and has countersigned this projection and
no other: owners who see the same digest have the same result. It does not prove what the data user has added up.

Example:
  $ eigenveil-owner verify TASK --evidence evidence.json`,
  );
  command.action(async (id: string) => {
    const settings = configuration();
    const { Evidence } = await import('./result.ts');
    const evidence = await readJsonFile('--evidence', settings.evidence, Evidence);
    if (evidence.task.id !== taskIdOf(id))
      throw new ConfigurationError(`"--evidence" expected that of task ${id}, got ${evidence.task.id}`);
    const { provenance } = await withOwner({ ...settings, patienceSeconds: 0 }, await readPolicy(), (owner) =>
      owner.verify(evidence),
    );
    printResult(command, { json: { task: id, ...provenance }, text: describeOwners(provenance) });
  });
}

function describeOwners({ verifiedOwners, projectionDigest }: TaskResult['provenance']): string {
  return `${verifiedOwners} owners took part, this one among them; digest of the result ${projectionDigest}`;
}

async function withOwner<T>(
  settings: { readonly home: string; readonly patienceSeconds: number },
  policy: OwnerPolicy,
  work: (owner: DataOwner) => Promise<T>,
): Promise<T> {
  const [{ PaillierPool, selfTest }, { DataOwner }, { OwnerHome }] = await Promise.all([
    import('@eigenveil/paillier'),
    import('./data-owner.ts'),
    import('./home.ts'),
  ]);
  selfTest({ allowBigintFallback: false });
  // Encryption of one contribution takes less time than starting threads for it.
  const paillier = new PaillierPool({ threads: 0 });
  const home = new OwnerHome(settings.home);
  return work(
    new DataOwner({ home, policy, paillier, patienceMilliseconds: 1000 * settings.patienceSeconds }),
  );
}

/** The default policy, where no file is named. */
async function readPolicy(file?: string, allowSimulated = false): Promise<OwnerPolicy> {
  const { OwnerPolicy } = await import('./policy.ts');
  const policy =
    file === undefined ? OwnerPolicy.parse({}) : await readJsonFile('--policy', file, OwnerPolicy);
  return allowSimulated ? { ...policy, twoParty: [...policy.twoParty, 'simulated'] } : policy;
}

async function address(url: string, ca: string | undefined, title = '--user-ca'): Promise<ServiceAddress> {
  return { url, ca: ca === undefined ? undefined : await readTextFile(title, ca) };
}

/** Before anything is fetched: what cannot be written, or would cost the rows themselves, is the user's to mend. */
async function checkOutputs({
  data,
  out,
  save,
  evidence,
}: {
  data?: string | undefined;
  out?: string | undefined;
  save?: string | undefined;
  evidence?: string | undefined;
}) {
  if ((data === undefined) !== (out === undefined))
    throw new ConfigurationError('"--data" and "--out" expected together');
  if (out === undefined && save === undefined && evidence === undefined)
    throw new ConfigurationError('"--out", "--save" or "--evidence" expected, or nothing would be kept');
  for (const [flag, file] of [
    ['--out', out],
    ['--save', save],
    ['--evidence', evidence],
  ] as const) {
    if (file === undefined) continue;
    await access(dirname(resolve(file)), constants.W_OK).catch((cause: unknown) => {
      throw new ConfigurationError(
        `"${flag}" expected a file in a folder that exists and can be written to, got ${file}`,
        { cause },
      );
    });
    if (data !== undefined && resolve(file) === resolve(data)) {
      throw new ConfigurationError(`"${flag}" expected another file than "--data"`);
    }
  }
}

interface Summary {
  readonly rows: number;
  /** Cells per feature. */
  readonly clipped: Record<string, number>;
  readonly clippedRows: number;
  readonly constant: string[];
}

function warn(summary: Summary | undefined): void {
  for (const [name, cells] of Object.entries(summary?.clipped ?? {})) {
    process.stderr.write(
      `warning: ${cells} cells of ${JSON.stringify(name)} lay outside the range of the task and were clipped\n`,
    );
  }
  if (summary !== undefined && summary.clippedRows > 0) {
    process.stderr.write(
      `warning: ${summary.clippedRows} of ${summary.rows} rows were longer than the clipping norm of the task and were scaled down\n`,
    );
  }
  for (const name of summary?.constant ?? []) {
    process.stderr.write(`warning: feature ${JSON.stringify(name)} has an empty range and carries nothing\n`);
  }
}

function taskIdOf(text: string): TaskId {
  const id = TaskId.safeParse(text);
  if (!id.success) throw new ConfigurationError('"TASK" expected a task id of 22 characters');
  return id.data;
}

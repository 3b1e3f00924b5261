/** The bundled scenes: who is where, which rows they have, and which tasks run over them. */
import { checkTask } from '@eigenveil/task';
import { describe, expect, it } from 'vitest';
import { BUNDLED_SCENES, type Scene } from '../../evaluation/scene.ts';
import { bundledScene, missingScene } from '../../evaluation/scenes/bundled.ts';
import { classesOf, dealtRows, variantOf } from '../../evaluation/scenes/split.ts';

const SOME: readonly string[] = ['iris', 'pima'];

const everybody = ({ owners, outsiders, publicSample }: Scene) => [
  ...owners.flat(),
  ...outsiders,
  ...publicSample,
];

describe.each(BUNDLED_SCENES.map((name) => ({ name, tags: SOME.includes(name) ? [] : ['long'] })))(
  '$name',
  ({ name, tags }) => {
    it('has every person in one place, and a task that is allowed', { tags }, async (context) => {
      const missing = await missingScene(name);
      if (missing !== undefined) {
        expect(name, missing).toBe('olivetti');
        expect(missing).toContain('EIGENVEIL_DATA');
        await expect(bundledScene(name, 'seed')).rejects.toThrow('EIGENVEIL_DATA');
        return context.skip(missing);
      }
      const scene = await bundledScene(name, 'seed');
      const places = [...scene.owners, scene.outsiders, scene.publicSample].map((rows) => [
        ...new Set(rows.map(({ person }) => person)),
      ]);
      expect(new Set(places.flat()).size).toBe(places.flat().length);
      expect(Math.abs(places.slice(0, -2).flat().length - places.at(-2)!.length)).toBeLessThanOrEqual(1);
      expect(() => checkTask(scene.proposal)).not.toThrow();
      expect(scene.owners).toHaveLength(scene.proposal.maximumOwners);
      for (const own of scene.owners)
        expect(own.length).toBeLessThanOrEqual(scene.proposal.maximumSamplesPerOwner);
      const columns = [scene.utilityLabel, scene.privateLabel].filter((column) => column !== undefined);
      for (const { values, labels } of everybody(scene)) {
        expect(values).toHaveLength(scene.proposal.features.length);
        expect(values.every(Number.isFinite)).toBe(true);
        expect(columns.every((column) => labels[column] !== undefined)).toBe(true);
      }
      expect(await bundledScene(name, 'seed')).toEqual(scene);
      expect((await bundledScene(name, 'another')).owners).not.toEqual(scene.owners);
    });
  },
);

it('hides the age of pima behind a threshold', async () => {
  const scene = await bundledScene('pima', 'seed');
  expect(scene.proposal.features.map(({ name }) => name)).not.toContain('age');
  const rows = everybody(scene);
  expect(rows).toHaveLength(768);
  // Counted in data/pima.csv.
  expect(rows.filter(({ labels }) => labels.age30 === '1')).toHaveLength(372);
  const first = rows.find(({ person }) => person === '0')!;
  expect(first).toEqual({
    values: [6, 148, 72, 35, 0, 33.6, 0.627],
    labels: { label: '1', age30: '1' },
    person: '0',
  });
});

it('hides the thickness of the clump of breast_cancer behind a threshold', async () => {
  const scene = await bundledScene('breast_cancer', 'seed');
  expect(scene.privateLabel).toBe('thick');
  expect(scene.proposal.features.map(({ name }) => name)).not.toContain('Cl.thickness');
  // Counted in data/breast_cancer.csv.
  expect(everybody(scene).filter(({ labels }) => labels.thick === '1')).toHaveLength(311);
});

it('takes the users of wisdm for people', async () => {
  const scene = await bundledScene('wisdm', 'seed');
  expect(scene.owners.every((own) => new Set(own.map(({ person }) => person)).size === 1)).toBe(true);
  expect(new Set(everybody(scene).map(({ person }) => person)).size).toBe(36);
});

describe('variants of a task', () => {
  it('take the labels of the scene and declare what rotated reveals', async () => {
    const scene = await bundledScene('pima', 'seed');
    const task = variantOf(scene, { method: 'mdr', twoParty: 'rotated', outputs: ['mean'] });
    expect(task.labellings).toEqual([
      { column: 'label', classes: ['0', '1'] },
      { column: 'age30', classes: ['0', '1'] },
    ]);
    expect(task.outputs).toEqual(['mean', 'sampleCount', 'spectrum', 'classCounts']);
    expect(variantOf(scene, { method: 'pca' })).toMatchObject({
      labellings: [],
      outputs: [],
      twoParty: 'garbled',
    });
  });

  it('need the labels', async () => {
    const scene = await bundledScene('iris', 'seed');
    expect(classesOf(scene, 'label')).toEqual(['0', '1', '2']);
    expect(() => variantOf(scene, { method: 'mdr' })).toThrow(RangeError);
  });
});

it('refuses to deal too few people', () => {
  const rows = Array.from({ length: 9 }, (_, i) => ({ values: [i], labels: {}, person: `${i % 3}` }));
  expect(() => dealtRows(rows, 2, 'seed')).toThrow('expected at least 5 people');
  expect(dealtRows(rows, 1, 'seed').owners[0]).toHaveLength(3);
});

/** Sessions that tell how far they are. */
import type { Gates } from './gates.ts';
import type { Session } from './session.ts';

/** The same session; calls back after every step, and waits for what it returns. */
export function observed<Context extends Gates>(
  session: Session<Context>,
  onStep: (gates: Context) => void | Promise<void>,
): Session<Context> {
  return {
    gates: session.gates,
    garblerInput: (count, bits) => session.garblerInput(count, bits),
    evaluatorInput: (count, bits) => session.evaluatorInput(count, bits),
    reveal: (outputs) => session.reveal(outputs),
    async step(body) {
      const result = await session.step(body);
      await onStep(session.gates);
      return result;
    },
  };
}

/** The same session; calls back before anything is revealed, and waits for what it returns. */
export function beforeReveal<Context extends Gates>(
  session: Session<Context>,
  onReveal: () => Promise<void>,
): Session<Context> {
  return {
    gates: session.gates,
    garblerInput: (count, bits) => session.garblerInput(count, bits),
    evaluatorInput: (count, bits) => session.evaluatorInput(count, bits),
    step: (body) => session.step(body),
    async reveal(outputs) {
      await onReveal();
      return session.reveal(outputs);
    },
  };
}

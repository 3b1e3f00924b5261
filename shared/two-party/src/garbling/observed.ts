/** A session that tells how far it is. */
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

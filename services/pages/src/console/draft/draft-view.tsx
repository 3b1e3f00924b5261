/** Drafts a task from a sample that stays in the browser. */
import { View } from '../../common/layout.tsx';

/** @param create goes on with this JSON where tasks are created */
export function DraftView(_props: { readonly create: (proposal: string) => void }) {
  return (
    <View title="Draft a task" name="Draft">
      <p>Write a draft with eigenveil-user task draft.</p>
    </View>
  );
}

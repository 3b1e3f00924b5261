/** Says in words whom an owner trusts when it uses this page, and what that means for its security. */
import { View } from '../common/layout.tsx';

export function TrustView() {
  return (
    <View title="Security" name="Security">
      <h2>Who serves this page can read your rows</h2>
      <p>
        Your browser runs what the server behind the address of this page sends, each time that you load it.
        Whoever runs that server could send another page, one that sends your rows away. So this page should
        come from your own organisation, and never from the data user or the CSP, against whom it protects
        you. Look at the address above before you choose a file.
      </p>
      <h2>How the page can be checked</h2>
      <p>
        With the page lies a file <a href="SHA256SUMS">SHA256SUMS</a>, with the digest of each of its files.
        They are the same for everybody who builds this version of Eigenveil, except for the addresses of
        services that your organisation wrote into index.html. Compare them with digests from another source:
        build the page yourself, or ask somebody who did. The page in turn takes its program, its style and
        its worker only with the digests that it names. This tells you nothing about what the server sends
        next time, or to others: where that matters, take the command line, or host a copy yourself.
      </p>
      <h2>The CSP and the data user</h2>
      <p>
        No one of them sees your sums as long as they do not work together. The CSP signs each task; you
        pinned its key when you enrolled. The data user gets the result. A task’s own page lists what each of
        them learns.
      </p>
      <h2>Extensions, and machines that others use</h2>
      <ul>
        <li>
          An extension that may read this site sees all that you see, your file while it is read included. Use
          a profile without extensions.
        </li>
        <li>
          Whoever can use this browser’s profile can contribute, withdraw and fetch results in your name: the
          key cannot be taken out, but it can be used. The operating system’s administrator can do anything.
        </li>
        <li>
          Receipts, contributions that were not acknowledged and the list of tasks lie on this disk, not
          encrypted by this page. Your rows are not kept.
        </li>
        <li>
          The browser’s history may show the link that you came by, and this tab keeps it until you have
          enrolled. Its token works once. Deleting the browser’s data deletes the owner, for good if there is
          no backup.
        </li>
        <li>
          Arithmetic in a browser takes a time that depends on the numbers. Another program on this machine
          that measures it closely may learn something about your sums. No secret key of the protocol is here.
        </li>
        <li>Rows that were reduced, once saved, are yours to protect: no guarantee covers them.</li>
      </ul>
    </View>
  );
}

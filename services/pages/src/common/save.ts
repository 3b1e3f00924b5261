/** Hands a file to the person at the page: nothing leaves the machine. */
export function save(filename: string, mediaType: string, content: BlobPart): void {
  const url = URL.createObjectURL(new Blob([content], { type: mediaType }));
  const link = document.createElement('a');
  link.href = url;
  link.download = filename;
  link.click();
  // The browser reads the blob after this turn, so the address stays valid for a while.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

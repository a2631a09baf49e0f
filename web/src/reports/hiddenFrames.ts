/** Maximum number of hidden frames that stay loaded; each takes some 80 MB, so the least recently used goes first. */
const MAX_HIDDEN_FRAMES = 8;

let hiddenFrames: (() => void)[] = [];

/** Keep a hidden frame until `giveWay` is called; return a function that ends that. */
export function keepHiddenFrame(giveWay: () => void): () => void {
  hiddenFrames.push(giveWay);
  if (hiddenFrames.length > MAX_HIDDEN_FRAMES) hiddenFrames.shift()?.();
  return () => {
    hiddenFrames = hiddenFrames.filter((one) => one !== giveWay);
  };
}

/** How many frames out of sight stay loaded: each holds some 80 MB, so who was left first gives way. */
const room = 8;

let unseen: (() => void)[] = [];

/** Keeps a frame that went out of sight, until `giveWay` is called; answers with what ends that. */
export function keepUnseen(giveWay: () => void): () => void {
  unseen.push(giveWay);
  if (unseen.length > room) unseen.shift()?.();
  return () => {
    unseen = unseen.filter((one) => one !== giveWay);
  };
}

import { DEBOUNCE_DELAY } from './useDebounced';

/** Width (px) at which 1rem is 100 px (spec/3-rules.md 9). */
const DESIGN_WIDTH = 1920;
const DESIGN_REM = 100;

function setRootFont(): void {
  document.documentElement.style.fontSize = `${(window.innerWidth / DESIGN_WIDTH) * DESIGN_REM}px`;
}

/** Keeps the root's font size in step with the width of the window, once that has been still for a while. */
export function watchRootFont(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onResize = () => {
    clearTimeout(timer);
    timer = setTimeout(setRootFont, DEBOUNCE_DELAY);
  };
  setRootFont();
  window.addEventListener('resize', onResize);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('resize', onResize);
  };
}

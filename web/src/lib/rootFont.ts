import { DEBOUNCE } from './useDebounced';

/** What a width of 1920 px makes of 1rem: 100 px (spec/3-rules.md 9). */
const DRAWN_FOR = 1920;
const REM = 100;

function setRootFont(): void {
  document.documentElement.style.fontSize = `${(window.innerWidth / DRAWN_FOR) * REM}px`;
}

/** Keeps the root's font size in step with the width of the window, once that has been still for a while. */
export function followWidth(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onResize = () => {
    clearTimeout(timer);
    timer = setTimeout(setRootFont, DEBOUNCE);
  };
  setRootFont();
  window.addEventListener('resize', onResize);
  return () => {
    clearTimeout(timer);
    window.removeEventListener('resize', onResize);
  };
}

import { useEffect, useState, type RefObject } from 'react';

/** Whether an element fills the screen, and what makes it do so or no more. */
export function useFullscreen(element: RefObject<HTMLElement | null>): [boolean, () => void] {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const look = () => setFull(document.fullscreenElement !== null && document.fullscreenElement === element.current);
    document.addEventListener('fullscreenchange', look);
    return () => document.removeEventListener('fullscreenchange', look);
  }, [element]);
  const toggle = () => {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void element.current?.requestFullscreen();
  };
  return [isFull, toggle];
}

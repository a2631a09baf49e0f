import { useEffect, useState } from 'react';

/** Turns true after a while, say for what is first asked one second after the shell stands. */
export function useDelayed(ms: number): boolean {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return due;
}

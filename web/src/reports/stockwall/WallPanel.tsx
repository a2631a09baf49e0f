import type { ReactNode } from 'react';
import styles from './wall.module.css';

export function WallPanel({
  title,
  children,
  className = '',
}: {
  title: string;
  children: ReactNode;
  className?: string;
}) {
  return (
    <section className={`${styles.panel} ${className}`} aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

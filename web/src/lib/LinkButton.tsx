import type { ButtonHTMLAttributes } from 'react';
import styles from './LinkButton.module.css';

/** A button that reads as a link within a text: it does something, or leads to where the server says. */
export function LinkButton(props: ButtonHTMLAttributes<HTMLButtonElement>) {
  return <button type="button" className={styles.link} {...props} />;
}

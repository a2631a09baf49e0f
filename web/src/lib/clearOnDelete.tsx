/** Clearing of a choice: a cross for the mouse, which the stylesheet keeps out of the tab order, and Delete. */
import { CloseCircleFilled } from '@ant-design/icons';
import type { KeyboardEvent } from 'react';

export const ALLOW_CLEAR = { label: '清除', clearIcon: <CloseCircleFilled /> };

/** Empties a choice by Delete, unless the key is about what is typed into it. */
export function clearOnDelete(clear: () => void) {
  return ({ key, target }: KeyboardEvent<HTMLElement>) => {
    if (key === 'Delete' && !(target instanceof HTMLInputElement && target.value !== '')) clear();
  };
}

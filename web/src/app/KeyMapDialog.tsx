import { Modal } from 'antd';
import { BILL_SHORTCUTS, GRID_SHORTCUTS, useActiveShortcuts, type BillShortcut } from '@/lib/pageShortcuts';
import { useRestoreFocus } from '@/lib/useRestoreFocus';
import styles from './keyMap.module.css';

/** 按键表: the keys, and which of them do something on the page below. */
export default function KeyMapDialog({ onClose }: { onClose: () => void }) {
  useRestoreFocus();
  const live = useActiveShortcuts();
  return (
    <Modal open centered width={760} title="按键表" footer={null} onCancel={onClose}>
      <div className={styles.keyMap}>
        <section aria-label="单据">
          <h4>单据</h4>
          {Object.entries(BILL_SHORTCUTS).map(([name, { combo, label }]) => (
            <Key key={name} combo={combo} label={label} live={live.has(name as BillShortcut)} />
          ))}
        </section>
        <section aria-label="录入明细">
          <h4>录入明细</h4>
          {Object.entries(GRID_SHORTCUTS).map(([name, { combo, label }]) => (
            <Key key={name} combo={combo} label={label} live />
          ))}
          <p>表头回车只停在必填项；要停在别的项，在录单页右上角的“回车停留”里选。灰色的键在当前页面没有用处。</p>
        </section>
      </div>
    </Modal>
  );
}

function Key({ combo, label, live }: { combo: string; label: string; live: boolean }) {
  return (
    <div className={live ? styles.key : `${styles.key} ${styles.idle}`}>
      <kbd>{combo}</kbd>
      <span>{label}</span>
    </div>
  );
}

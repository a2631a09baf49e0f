/** 数据更新时间: how fresh the figures on screen are, and newer ones at a click or by themselves. */
import { ReloadOutlined } from '@ant-design/icons';
import { Badge, Button, Checkbox } from 'antd';
import styles from './reports.module.css';
import type { FreshFigures } from './useFreshFigures';

export function Freshness({ figures }: { figures: FreshFigures }) {
  const newer = figures.publishedAt !== figures.shownAt;
  return (
    <div className={styles.freshness} role="status">
      <span>{figures.shownAt ? `数据更新于 ${figures.shownAt}` : '数据尚未发布'}</span>
      <Checkbox checked={figures.following} onChange={(event) => figures.setFollowing(event.target.checked)}>
        自动更新
      </Checkbox>
      <Badge dot={newer}>
        <Button size="small" type={newer ? 'primary' : 'default'} icon={<ReloadOutlined />} onClick={figures.refresh}>
          {newer ? '有新数据，刷新' : '刷新'}
        </Button>
      </Badge>
    </div>
  );
}

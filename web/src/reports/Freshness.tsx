/**
 * 数据更新时间: publication time of the figures on screen; newer ones load on a click or, where nothing is lost by it, by
 * themselves.
 */
import { ReloadOutlined } from '@ant-design/icons';
import { Badge, Button, Checkbox } from 'antd';
import styles from './reports.module.css';
import type { FreshFigures } from './useFreshFigures';

interface Props {
  figures: FreshFigures;
  /** Publication time of the figures on screen. */
  shownAt: string | null;
  onRefresh: () => void;
}

export function Freshness({ figures, shownAt, onRefresh }: Props) {
  const newer = figures.publishedAt !== shownAt;
  return (
    <div className={styles.freshness} role="status">
      <span>{shownAt ? `数据更新于 ${shownAt}` : '数据尚未发布'}</span>
      <Checkbox
        checked={figures.following}
        onChange={(event) => figures.setFollowing(event.target.checked)}
        title="新数据自动换上；在报表里滚动、查找、翻页、筛选以后不再自动换，有新数据时由您决定"
      >
        自动更新
      </Checkbox>
      <Badge dot={newer}>
        <Button size="small" type={newer ? 'primary' : 'default'} icon={<ReloadOutlined />} onClick={onRefresh}>
          {newer ? '有新数据，刷新' : '刷新'}
        </Button>
      </Badge>
    </div>
  );
}

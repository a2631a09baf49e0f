import { EnterOutlined } from '@ant-design/icons';
import { Button, Checkbox, Popover } from 'antd';
import type { HeadStops } from './headStops';

/** Which optional fields of the head Enter stops at. */
export function StopsButton({ stops }: { stops: HeadStops }) {
  const { optional, asked, toggle } = stops;
  if (optional.length === 0) return null;
  const list = (
    <div className="column-list">
      {optional.map(({ name, label }) => (
        <div key={name} className="column-entry">
          <Checkbox checked={asked.includes(name)} onChange={() => toggle(name)}>
            {label}
          </Checkbox>
        </div>
      ))}
    </div>
  );
  return (
    <Popover trigger="click" placement="bottomRight" title="回车停留在这些选填项" content={list}>
      <Button className="form-stops" icon={<EnterOutlined />} aria-label="回车停留" title="回车停留：表头回车只停在必填项和这里选的项" />
    </Popover>
  );
}

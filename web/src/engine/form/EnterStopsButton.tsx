import { EnterOutlined } from '@ant-design/icons';
import { Button, Checkbox, Popover } from 'antd';
import type { EnterStops } from './enterStops';

/** Menu of the optional head fields that Enter stops at. */
export function EnterStopsButton({ stops }: { stops: EnterStops }) {
  const { optional, selected, toggle } = stops;
  if (optional.length === 0) return null;
  const list = (
    <div className="column-list">
      {optional.map(({ name, label }) => (
        <div key={name} className="column-entry">
          <Checkbox checked={selected.includes(name)} onChange={() => toggle(name)}>
            {label}
          </Checkbox>
        </div>
      ))}
    </div>
  );
  return (
    <Popover trigger="click" placement="bottomRight" title="回车停留在这些选填项" content={list}>
      <Button
        className="form-stops"
        icon={<EnterOutlined />}
        aria-label="回车停留"
        title="回车停留：表头回车只停在必填项和这里选的项"
      />
    </Popover>
  );
}

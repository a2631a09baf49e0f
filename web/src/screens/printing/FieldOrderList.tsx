import { ArrowDownOutlined, ArrowUpOutlined, HolderOutlined } from '@ant-design/icons';
import { Button, Checkbox, InputNumber } from 'antd';
import { useState } from 'react';
import type { PrintChoice } from '@/gen';

interface FieldOrderListProps {
  choices: PrintChoice[];
  /** Names in the order they are printed. */
  chosen: string[];
  widths?: Record<string, number>;
  onChange: (chosen: string[]) => void;
  onWidth?: (name: string, width: number) => void;
}

/** Selection and order of the printed fields: the selected ones first, moved by mouse or arrows. */
export function FieldOrderList({ choices, chosen, widths, onChange, onWidth }: FieldOrderListProps) {
  const [dragged, setDragged] = useState<string | null>(null);
  const known = new Map(choices.map((choice) => [choice.name, choice]));
  const shown = chosen.filter((name) => known.has(name));
  const rest = choices.filter((choice) => !chosen.includes(choice.name));
  const move = (name: string, to: number) => {
    const others = shown.filter((one) => one !== name);
    onChange([...others.slice(0, to), name, ...others.slice(to)]);
  };
  return (
    <div>
      {shown.map((name, index) => (
        <div
          key={name}
          className="chosen-entry"
          draggable
          onDragStart={() => setDragged(name)}
          onDragEnd={() => setDragged(null)}
          onDragOver={(event) => {
            event.preventDefault();
            if (dragged !== null && dragged !== name) move(dragged, index);
          }}
        >
          <HolderOutlined />
          <Checkbox checked onChange={() => onChange(shown.filter((one) => one !== name))}>
            {known.get(name)?.label}
          </Checkbox>
          {widths && (
            <InputNumber
              size="small"
              aria-label={`${known.get(name)?.label ?? name}列宽`}
              title="列宽"
              style={{ width: 64 }}
              min={4}
              max={200}
              value={widths[name]}
              onChange={(width) => width && onWidth?.(name, width)}
            />
          )}
          <Button
            size="small"
            type="text"
            icon={<ArrowUpOutlined />}
            aria-label="上移"
            disabled={index === 0}
            onClick={() => move(name, index - 1)}
          />
          <Button
            size="small"
            type="text"
            icon={<ArrowDownOutlined />}
            aria-label="下移"
            disabled={index === shown.length - 1}
            onClick={() => move(name, index + 1)}
          />
        </div>
      ))}
      {rest.map((choice) => (
        <div key={choice.name} className="chosen-entry">
          <Checkbox checked={false} onChange={() => onChange([...shown, choice.name])}>
            {choice.label}
          </Checkbox>
        </div>
      ))}
    </div>
  );
}

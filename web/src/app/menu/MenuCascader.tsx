/** The cascader behind the search icon; choosing an entry jumps to its route. */
import { Cascader } from 'antd';
import { useNavigate } from 'react-router';
import { menuOptions, matchesEntry, type MenuNode, type MenuOption } from './menuTree';

interface Props {
  menu: MenuNode[];
  onJump: () => void;
}

export default function MenuCascader({ menu, onJump }: Props) {
  const navigate = useNavigate();
  const jump = (path: string[]) => {
    const target = path.at(-1);
    onJump();
    if (target) void navigate(target);
  };
  return (
    <Cascader<MenuOption>
      style={{ width: 300 }}
      size="middle"
      options={menuOptions(menu)}
      onChange={(path) => jump(path as string[])}
      showSearch={{ filter: matchesEntry, limit: 30 }}
      placeholder="输入菜单名称或拼音首字母，如：销售出库、XSCK"
      notFoundContent="没有匹配的菜单"
      expandTrigger="hover"
      autoFocus
      defaultOpen
      aria-label="搜索菜单"
    />
  );
}

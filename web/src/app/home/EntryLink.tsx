import { Link } from 'react-router';
import { menuHref, type MenuNode } from '../menu/menuTree';

export function EntryLink({ node, className }: { node: MenuNode; className?: string }) {
  return (
    <Link to={menuHref(node)} className={className}>
      {node.name}
    </Link>
  );
}

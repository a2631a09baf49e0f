/** The user's dropdown: personal centre, report subscriptions, company info, agreements, log out; exports and the theme where the header has no entry for them. */
import { DownOutlined, UserOutlined } from '@ant-design/icons';
import { useMutation } from '@tanstack/react-query';
import { App, Avatar, Dropdown, type MenuProps } from 'antd';
import { lazy, Suspense, useState } from 'react';
import { api } from '@/lib/api';
import { reportError, showMessage } from '@/lib/errors';
import type { Session } from '@/lib/session';
import { useTabs } from '@/lib/tabs';
import { signOut } from '../session';
import { clearTabs } from '../tabs/tabStore';
import { useTheme } from '../useTheme';
import type { AgreementName } from './AgreementDialog';
import styles from './header.module.css';

const ExportTaskDialog = lazy(() => import('../exports/ExportTaskDialog'));
const AgreementDialog = lazy(() => import('./AgreementDialog'));

interface Props {
  session: Session;
  /** True if the user's exports are listed here. */
  exports: boolean;
  /** True if the theme is switched here. */
  themes: boolean;
  onTour?: () => void;
}

export function UserMenu({ session, exports, themes, onTour }: Props) {
  const tabs = useTabs();
  const { modal } = App.useApp();
  const [agreement, setAgreement] = useState<AgreementName | null>(null);
  const [exportsOpen, openExports] = useState(false);
  const theme = useTheme();
  const logout = useMutation({
    mutationFn: () => api.postForMessage('repo_logout'),
    onSuccess: (message) => {
      clearTabs();
      signOut();
      showMessage('success', message);
    },
    onError: reportError,
  });

  const confirmLogout = () =>
    modal.confirm({
      title: '提示',
      content: '确定退出登录吗？',
      onOk: () => logout.mutateAsync().catch(() => undefined),
    });

  const items: MenuProps['items'] = [
    { key: 'who', disabled: true, label: `${session.department_name || session.company_name} · ${session.role_name}` },
    { type: 'divider' },
    { key: 'self', label: '个人中心', onClick: () => tabs.open('/selfinfo', '个人中心') },
    { key: 'subscriptions', label: '我的订阅', onClick: () => tabs.open('/mySubscriptions', '我的订阅') },
    { key: 'alerts', label: '我的预警', onClick: () => tabs.open('/myAlerts', '我的预警') },
    ...(exports ? [{ key: 'exports', label: '导出任务', onClick: () => openExports(true) }] : []),
    { key: 'company', label: '公司信息', onClick: () => tabs.open('/sonCompanyInfo', '公司信息') },
    { key: 'terms', label: '用户协议', onClick: () => setAgreement('user') },
    { key: 'privacy', label: '隐私协议', onClick: () => setAgreement('privacy') },
    ...(themes ? [{ key: 'theme', label: theme.offer, onClick: theme.toggle }] : []),
    ...(onTour ? [{ key: 'tour', label: '新手引导', onClick: onTour }] : []),
    { type: 'divider' },
    { key: 'logout', label: '退出登录', danger: true, onClick: confirmLogout },
  ];

  return (
    <>
      <Dropdown menu={{ items }} trigger={['click']} placement="bottomRight">
        <button type="button" className={styles.user} aria-label={`当前用户 ${session.realname}`}>
          <Avatar size={26} icon={<UserOutlined />} className={styles.avatar} />
          <span className={styles.name}>{session.realname || session.user_name}</span>
          <DownOutlined />
        </button>
      </Dropdown>
      {exportsOpen && (
        <Suspense>
          <ExportTaskDialog onClose={() => openExports(false)} />
        </Suspense>
      )}
      {agreement && (
        <Suspense>
          <AgreementDialog name={agreement} onClose={() => setAgreement(null)} />
        </Suspense>
      )}
    </>
  );
}

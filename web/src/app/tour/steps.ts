/** A stop of the guided tour, targeted by its accessible name. */
export interface TourStop {
  target: string;
  placement?: 'right';
  title: string;
  description: string;
}

export const TOUR_STOPS: TourStop[] = [
  {
    target: 'nav[aria-label="主菜单"]',
    placement: 'right',
    title: '主菜单',
    description: '点模块展开下级菜单；左下角可以折叠菜单，给单据留出更宽的版面。',
  },
  {
    target: '[aria-label="搜索菜单"]',
    placement: 'right',
    title: '搜索菜单',
    description: '记不住在哪里时，按 Ctrl+K 输入界面名称，直接打开。',
  },
  {
    target: '[role="tablist"][aria-label="已打开的页面"]',
    title: '页签',
    description: '打开过的界面排在这里，随时切换；中键关闭，右键可以关闭其他或全部。',
  },
  {
    target: '[aria-label="待办"]',
    title: '待办',
    description: '待处理事项和待审批单据都在这里，点一条就打开对应的列表。',
  },
  {
    target: '[aria-label^="当前用户"]',
    title: '个人中心',
    description: '修改密码、查看公司信息、退出登录；想再看一遍，就点这里的“新手引导”。',
  },
];

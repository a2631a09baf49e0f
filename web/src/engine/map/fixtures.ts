import type { Province } from './regionTree';

/** Some regions, for tests. */
export const tree: Province[] = [
  {
    ...{ id: 9, name: '上海市', initials: 'SHS', code: '31' },
    cities: [{ id: 90, name: '上海市', initials: 'SHS', code: '3101', areas: [{ id: 901, name: '闵行区', initials: 'MXQ MHQ', code: '310112' }] }],
  },
  {
    ...{ id: 11, name: '浙江省', initials: 'ZJS', code: '33' },
    cities: [
      { id: 110, name: '杭州市', initials: 'HZS', code: '3301', areas: [{ id: 1101, name: '西湖区', initials: 'XHQ', code: '330106' }] },
      { id: 117, name: '金华市', initials: 'JHS', code: '3307', areas: [{ id: 1171, name: '义乌市', initials: 'YWS', code: '330782' }] },
    ],
  },
];

import type { Province } from './regionTree';

/** Some regions, for tests. */
export const REGION_TREE: Province[] = [
  {
    ...{ id: 9, name: '上海市', initials: 'SHS', code: '31' },
    cities: [
      {
        id: 90,
        name: '上海市',
        initials: 'SHS',
        code: '3101',
        areas: [{ id: 901, name: '闵行区', initials: 'MXQ MHQ', code: '310112' }],
      },
    ],
  },
  {
    ...{ id: 1, name: '北京市', initials: 'BJS', code: '11' },
    cities: [
      {
        id: 10,
        name: '北京市',
        initials: 'BJS',
        code: '1101',
        areas: [{ id: 101, name: '朝阳区', initials: 'CYQ ZYQ', code: '110105' }],
      },
    ],
  },
  {
    ...{ id: 7, name: '吉林省', initials: 'JLS', code: '22' },
    cities: [
      {
        id: 70,
        name: '长春市',
        initials: 'CCS ZCS',
        code: '2201',
        areas: [{ id: 701, name: '朝阳区', initials: 'CYQ ZYQ', code: '220104' }],
      },
    ],
  },
  {
    ...{ id: 6, name: '辽宁省', initials: 'LNS', code: '21' },
    cities: [
      {
        id: 60,
        name: '朝阳市',
        initials: 'CYS ZYS',
        code: '2113',
        areas: [{ id: 601, name: '朝阳县', initials: 'CYX ZYX', code: '211321' }],
      },
    ],
  },
  {
    ...{ id: 11, name: '浙江省', initials: 'ZJS', code: '33' },
    cities: [
      {
        id: 110,
        name: '杭州市',
        initials: 'HZS',
        code: '3301',
        areas: [{ id: 1101, name: '西湖区', initials: 'XHQ', code: '330106' }],
      },
      {
        id: 117,
        name: '金华市',
        initials: 'JHS',
        code: '3307',
        areas: [{ id: 1171, name: '义乌市', initials: 'YWS', code: '330782' }],
      },
    ],
  },
];

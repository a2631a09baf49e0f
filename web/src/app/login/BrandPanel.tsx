/** The login page's picture: what the platform is, drawn in the product's colours. */
import styles from './login.module.css';

const strengths = ['采购、销售、库存、往来一体', '周转、库龄、账龄、毛利随单据更新', '集团、分公司、门店各见其数'];
const treadAngles = Array.from({ length: 36 }, (_, index) => index * 10);
const bars = [42, 66, 54, 88, 74, 112, 98, 136];

export function BrandPanel() {
  return (
    <aside className={styles.brand} aria-hidden>
      <svg className={styles.picture} viewBox="0 0 460 320" role="presentation">
        <g transform="translate(150 170)" fill="none" stroke="#fff">
          <circle r="118" strokeOpacity=".95" strokeWidth="26" />
          {treadAngles.map((angle) => (
            <path key={angle} d="M0 -134 L9 -110" transform={`rotate(${angle})`} stroke="#409EFF" strokeWidth="4" />
          ))}
          <circle r="78" strokeOpacity=".5" strokeWidth="3" />
          {[0, 72, 144, 216, 288].map((angle) => (
            <path
              key={angle}
              d="M-11 -22 L-17 -74 H17 L11 -22 Z"
              transform={`rotate(${angle})`}
              fill="#fff"
              fillOpacity=".25"
              stroke="none"
            />
          ))}
          <circle r="24" fill="#fff" fillOpacity=".9" stroke="none" />
        </g>
        <g transform="translate(262 276)">
          {bars.map((height, index) => (
            <rect
              key={index}
              x={index * 24}
              y={-height}
              width="15"
              height={height}
              rx="3"
              fill="#fff"
              fillOpacity={0.35 + index * 0.08}
            />
          ))}
          <path
            d="M7 -58 L31 -84 55 -70 79 -106 103 -92 127 -130 151 -118 175 -160"
            fill="none"
            stroke="#FFD666"
            strokeWidth="4"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
        </g>
      </svg>
      <p className={styles.slogan}>从一张单据，到一张看得懂的报表</p>
      <ul className={styles.strengths}>
        {strengths.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </aside>
  );
}

/** Names of the reward tiers, up to twenty. */
const DIGITS = ['', '一', '二', '三', '四', '五', '六', '七', '八', '九', '十'];

export function formatTierName(tier: number): string {
  if (tier < 1 || tier > 20) return '';
  if (tier <= 10) return `第${DIGITS[tier]}档`;
  return tier === 20 ? '第二十档' : `第十${DIGITS[tier - 10]}档`;
}

/** Finds reports by what is asked in words. */
import type { Report } from './reportHome';

const MOST_NEAR = 6;
/** How much of the best one's likeness a near one has at least. */
const NEAR_ENOUGH = 0.5;

export interface Found {
  reports: Report[];
  /** None says all that is looked for; these share the most with it. */
  near: boolean;
}

/** Reports that say every word of what is looked for, those that are called so first; else the nearest ones. */
export function found(reports: Report[], wanted: string): Found {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const says = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const exact = reports.filter(({ told }) => says(told));
  if (exact.length === 0) return { reports: nearest(reports, wanted), near: true };
  return { reports: [...new Set([...exact.filter(({ name }) => says(name)), ...exact])], near: false };
}

/** By the pairs of characters that they share with what is looked for: the fewer reports have one, the more it tells, and
 * twice as much in a name. */
function nearest(reports: Report[], wanted: string): Report[] {
  const read = reports.map((report) => ({ report, asked: pairsOf(report.asked), name: pairsOf(report.name) }));
  const weights = [...pairsOf(wanted)].map((pair) => {
    const having = read.filter(({ asked }) => asked.has(pair)).length;
    return { pair, weight: Math.log(reports.length / Math.max(having, 1)) };
  });
  const ranked = read
    .map(({ report, asked, name }) => ({
      report,
      likeness: weights.reduce((sum, { pair, weight }) => sum + weight * (Number(asked.has(pair)) + Number(name.has(pair))), 0),
    }))
    .sort((a, b) => b.likeness - a.likeness);
  const least = (ranked[0]?.likeness ?? 0) * NEAR_ENOUGH;
  const near = ranked.filter(({ likeness }) => likeness > 0 && likeness >= least);
  return near.slice(0, MOST_NEAR).map(({ report }) => report);
}

/** Neighbouring characters, since Chinese sets no spaces between its words. */
function pairsOf(text: string): Set<string> {
  const runs = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return new Set(runs.flatMap((run) => Array.from(run.slice(1), (next, at) => run.charAt(at) + next)));
}

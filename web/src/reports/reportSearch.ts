/** Full-text search of reports. */
import type { ReportEntry } from './reportHome';

const MAX_NEAREST = 6;
/** Minimum likeness of an approximate match, relative to the best one. */
const MIN_LIKENESS = 0.5;

export interface SearchResult {
  reports: ReportEntry[];
  /** True if no report matches all words and these are the most similar ones. */
  isApproximate: boolean;
}

/** Reports that say every word of what is looked for, those that are called so first; else the nearest ones. */
export function searchReports(reports: ReportEntry[], wanted: string): SearchResult {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  const says = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  const exact = reports.filter(({ searchText: told }) => says(told));
  if (exact.length === 0) return { reports: findNearest(reports, wanted), isApproximate: true };
  return { reports: [...new Set([...exact.filter(({ name }) => says(name)), ...exact])], isApproximate: false };
}

/** By the pairs of characters that they share with what is looked for: the fewer reports have one, the more it tells, and
 * twice as much in a name. */
function findNearest(reports: ReportEntry[], wanted: string): ReportEntry[] {
  const read = reports.map((report) => ({
    report,
    asked: listBigrams(report.phrases),
    name: listBigrams(report.name),
  }));
  const weights = [...listBigrams(wanted)].map((pair) => {
    const having = read.filter(({ asked }) => asked.has(pair)).length;
    return { pair, weight: Math.log(reports.length / Math.max(having, 1)) };
  });
  const ranked = read
    .map(({ report, asked, name }) => ({
      report,
      likeness: weights.reduce(
        (sum, { pair, weight }) => sum + weight * (Number(asked.has(pair)) + Number(name.has(pair))),
        0,
      ),
    }))
    .sort((a, b) => b.likeness - a.likeness);
  const least = (ranked[0]?.likeness ?? 0) * MIN_LIKENESS;
  const near = ranked.filter(({ likeness }) => likeness > 0 && likeness >= least);
  return near.slice(0, MAX_NEAREST).map(({ report }) => report);
}

/** Neighbouring characters, since Chinese sets no spaces between its words. */
function listBigrams(text: string): Set<string> {
  const runs = text.toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return new Set(runs.flatMap((run) => Array.from(run.slice(1), (next, at) => run.charAt(at) + next)));
}

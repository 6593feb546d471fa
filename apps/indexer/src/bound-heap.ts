import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** Allowed garbage in the heap, in bytes. A lower value costs more time for collection. */
const GARBAGE = 96 * 1024 * 1024
/** Minimum growth in percent, for a large live heap. */
const LEAST_PERCENT = 60

/**
 * Bounds how far the heap grows beyond its live data before a full collection; returns a function that ends it. By
 * default Node lets it grow fourfold under load: most of a gigabyte, of which a fifth is live. A fixed heap size would
 * need a guess at the live data, which depends on the number of known pools. A wrong guess ends the process.
 * `setGrowth` receives the allowed growth in percent.
 */
export function boundHeap(setGrowth: (percent: number) => void = setCollector): () => void {
  const observer = new PerformanceObserver((list) => {
    if (list.getEntries().some(isWhole)) setGrowth(growthPercent(getHeapStatistics().used_heap_size))
  })
  observer.observe({ entryTypes: ['gc'] })
  return () => observer.disconnect()
}

/** @param live bytes */
export function growthPercent(live: number): number {
  return Math.max(LEAST_PERCENT, Math.round((100 * GARBAGE) / live))
}

/** V8 reads the flag at the end of each full collection. */
function setCollector(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

function isWhole(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { detail?: { kind?: number } }
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR
}

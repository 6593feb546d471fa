import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

/** What may lie in the heap that nobody holds: less costs time for collecting it. */
const GARBAGE = 96 * 1024 * 1024
/** Where much lives, as a part of that. */
const LEAST_PERCENT = 60

/**
 * Bounds how far the heap outgrows what lives in it before all of it is collected. By itself Node lets it grow fourfold
 * while answers pour in, to most of a gigabyte of which a fifth lives. A fixed size of the heap would be a guess at what
 * lives, which follows the pools that are known, and end the process where it is wrong.
 *
 * @param setGrowth gets what may be added to what lives, in percent, after each collection of all; default: the collector
 * @returns what ends it
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

/** V8 reads it at the end of each collection of all. */
function setCollector(percent: number): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`)
}

function isWhole(entry: PerformanceEntry): boolean {
  const { detail } = entry as PerformanceEntry & { detail?: { kind?: number } }
  return detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR
}

import { readdirSync, readFileSync } from 'node:fs'

export interface ProcessUsage {
  /** Highest resident memory of the process and its descendants together, in MB. */
  peakRssMb: number
  cpuSeconds: number
}

const LOOK_EVERY_MS = 50
const TICKS_PER_SECOND = 100

export function watchProcess(pid: number, lookEveryMs = LOOK_EVERY_MS): () => ProcessUsage {
  let peak = 0
  const look = () => {
    peak = Math.max(
      peak,
      familyOf(pid).reduce((sum, member) => sum + rssMb(member), 0),
    )
  }
  const timer = setInterval(look, lookEveryMs)
  return () => {
    clearInterval(timer)
    look()
    return { peakRssMb: peak, cpuSeconds: cpuOf(pid) }
  }
}

export function cpuOf(pid: number): number {
  return familyOf(pid).reduce((sum, member) => sum + cpuSeconds(member), 0)
}

/** Returns the anonymous memory of a process and its descendants. RSS would count shared pages once per process. */
export function ownMemoryMb(pid: number): number {
  const kbOf = (member: number) => Number(/RssAnon:\s+(\d+) kB/.exec(readOr(`/proc/${member}/status`))?.[1] ?? 0)
  return familyOf(pid).reduce((sum, member) => sum + kbOf(member) / 1024, 0)
}

function familyOf(pid: number): number[] {
  const children = readOr(`/proc/${pid}/task/${pid}/children`)
  const threads = listOr(`/proc/${pid}/task`).filter((thread) => thread !== String(pid))
  const ofThreads = threads.map((thread) => readOr(`/proc/${pid}/task/${thread}/children`)).join(' ')
  const found = `${children} ${ofThreads}`.split(/\s+/).filter((text) => text !== '')
  return [pid, ...found.flatMap((child) => familyOf(Number(child)))]
}

function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readOr(`/proc/${pid}/status`))?.[1] ?? 0) / 1024
}

function cpuSeconds(pid: number): number {
  const stat = readOr(`/proc/${pid}/stat`)
  // Fields 14 to 17 of proc_pid_stat(5): utime, stime, cutime, cstime. Skip the name in brackets, which may have
  // spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / TICKS_PER_SECOND
}

function readOr(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function listOr(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

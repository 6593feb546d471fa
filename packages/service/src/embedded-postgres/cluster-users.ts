import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isProcessAlive, processStartTime } from '../process-alive.ts'

export function joinCluster(home: string): string {
  const folder = join(home, 'users')
  mkdirSync(folder, { recursive: true })
  const name = `${process.pid}-${processStartTime(process.pid)}-${randomBytes(4).toString('hex')}`
  writeFileSync(join(folder, name), '')
  return name
}

export function leaveCluster(home: string, name: string | null): number {
  const folder = join(home, 'users')
  if (name !== null) rmSync(join(folder, name), { force: true })
  let left = 0
  for (const other of readdirSync(folder)) {
    const [pid, startTime] = other.split('-')
    if (isProcessAlive(Number(pid)) && processStartTime(Number(pid)) === startTime) left += 1
    else rmSync(join(folder, other), { force: true })
  }
  return left
}

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@dexfeed/service'
import { parse } from 'yaml'

export const RULES = join(projectRoot(), 'monitoring/alerts.yml')

export interface Rule {
  alert?: string
  record?: string
  expr: string
  for?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
}

export const rules: Rule[] = parse(readFileSync(RULES, 'utf8')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules)

/** On Debian, promtool is in the package prometheus. */
export function hasPromtool(): boolean {
  return spawnSync('promtool', ['--version']).status === 0
}

export function promtool(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { projectRoot } from '@dexfeed/service'
import { closeAfter } from '@dexfeed/test-setup'

interface NodeRun {
  child: ChildProcess
  stdout: () => string
  stderr: () => string
  exitCode: Promise<number | null>
}

/** Runs Node until the test ends. Its environment is `settings`, PATH and HOME. */
export function runNode(args: readonly string[], settings: Record<string, string>): NodeRun {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_ENV: '', ...settings }
  const child = spawn(process.execPath, args, { cwd: projectRoot(), env, stdio: ['ignore', 'pipe', 'pipe'] })
  const written = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      written[name] += text
    })
  }
  const exitCode = once(child, 'close').then(([code]) => code as number | null)
  closeAfter(() => {
    child.kill('SIGTERM')
    return exitCode
  })
  return { child, stdout: () => written.stdout, stderr: () => written.stderr, exitCode }
}

import { type ChildProcess, fork } from 'node:child_process'
import { SECOND } from '@dexfeed/dex'
import type { Logger } from './logger.ts'

const STOP_MS = 15 * SECOND

interface Program {
  name: string
  file: string
  env: Readonly<Record<string, string | undefined>>
}

interface Ended {
  name: string
  exitCode: number
  how: string
}

export interface Supervisor {
  readonly ended: Promise<Ended>
  stop(): Promise<void>
}

export interface SuperviseOptions {
  programs: readonly Program[]
  log: Logger
  stopMs?: number
}

interface Running {
  name: string
  child: ChildProcess
  exited: Promise<Exit>
}

interface Exit {
  exitCode: number
  how: string
}

/**
 * Runs programs as children that write to this process's output. Each has its own process group, so that a Ctrl-C
 * reaches only this process, and an IPC channel, whose loss shows that this process is gone.
 */
export function supervise({ programs, log, stopMs = STOP_MS }: SuperviseOptions): Supervisor {
  let stopping = false
  let onEnd: (ended: Ended) => void = () => {}
  const ended = new Promise<Ended>((resolve) => {
    onEnd = resolve
  })
  const running = new Set<Running>()
  const all = programs.map(({ name, file, env }) => {
    const child = fork(file, [], {
      env: { ...env },
      detached: true,
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    const exited = exitOf(child)
    const program: Running = { name, child, exited }
    running.add(program)
    log.debug({ program: name, pid: child.pid }, 'started')
    void exited.then((exit) => {
      running.delete(program)
      if (stopping) return
      log.error({ program: name, ...exit }, 'a program ended by itself')
      onEnd({ name, ...exit })
    })
    return program
  })
  process.once('exit', () => {
    for (const { child } of running) killGroup(child)
  })
  return {
    ended,
    async stop() {
      stopping = true
      for (const { name, child, exited } of all.toReversed()) {
        child.kill('SIGTERM')
        const timer = setTimeout(() => {
          log.error({ program: name, stopMs }, 'does not stop and is killed')
          killGroup(child)
        }, stopMs)
        await exited
        clearTimeout(timer)
      }
    },
  }
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('error', ({ message }) => resolve({ exitCode: 1, how: message }))
    child.once('exit', (code, signal) => resolve({ exitCode: code ?? 1, how: howItEnded(code, signal) }))
  })
}

function howItEnded(code: number | null, signal: NodeJS.Signals | null): string {
  if (signal === 'SIGKILL') return 'SIGKILL, by somebody, or by the system when memory runs out'
  return signal ?? `exit code ${code}`
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Already ended.
  }
}

import type { ChildProcess } from 'node:child_process'

/** How a child process is talked to: what it is sent, and the next message of a kind that it sends. */
export function talkTo<To extends object | string, From extends { kind: string }>(child: ChildProcess) {
  return {
    send(message: To): void {
      child.send(message)
    },
    receive<K extends From['kind']>(kind: K): Promise<Extract<From, { kind: K }>> {
      return new Promise((resolve) => {
        const listen = (message: From) => {
          if (message.kind !== kind) return
          child.off('message', listen)
          resolve(message as Extract<From, { kind: K }>)
        }
        child.on('message', listen)
      })
    },
  }
}

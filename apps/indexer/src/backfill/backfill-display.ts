import { type BlockRange, SECOND } from '@dexfeed/dex'
import { SingleBar } from 'cli-progress'

const LINE_MS = 2 * SECOND

interface WaitProgress {
  network: string
  done: number
  total: number
  blocksPerS: number | null
}

export interface ProgressDisplay {
  show(progress: WaitProgress): void
  note(text: string): void
  end(progress: WaitProgress, failed: readonly (BlockRange & { reason: string })[]): void
}

export interface DisplayStreams {
  out: { isTTY?: boolean; write(text: string): unknown }
  err: { write(text: string): unknown }
}

export function progressDisplay({ out, err }: DisplayStreams): ProgressDisplay {
  return out.isTTY === true ? barDisplay({ out, err }) : lineDisplay({ out, err })
}

function lineDisplay({ out, err }: DisplayStreams): ProgressDisplay {
  let last = Number.NEGATIVE_INFINITY
  return {
    show(progress) {
      if (performance.now() - last < LINE_MS) return
      last = performance.now()
      out.write(`${JSON.stringify(fieldsOf(progress))}\n`)
    },
    note: (text) => err.write(`${text}\n`),
    end: (progress, failed) =>
      out.write(`${JSON.stringify({ ...fieldsOf(progress), complete: progress.done === progress.total, failed })}\n`),
  }
}

function barDisplay({ out, err }: DisplayStreams): ProgressDisplay {
  const stream = out as NodeJS.WritableStream
  const format = '{network} [{bar}] {percentage}% | {value}/{total} blocks | {speed} blocks/s | {left} left'
  const bar = new SingleBar({ format, stream, hideCursor: true, barCompleteChar: '=', barIncompleteChar: ' ' })
  let started = false
  const draw = (progress: WaitProgress) => {
    const { network, done, total, blocksPerS } = progress
    const eta = fieldsOf(progress).eta_s
    const payload = { network, speed: blocksPerS?.toFixed(1) ?? '-', left: eta === null ? '-' : `${eta} s` }
    if (started) bar.update(done, payload)
    else bar.start(total, done, payload)
    started = true
  }
  return {
    show: draw,
    note(text) {
      if (started) bar.stop()
      started = false
      err.write(`${text}\n`)
    },
    end(progress, failed) {
      draw(progress)
      bar.stop()
      for (const { from, to, reason } of failed) err.write(`blocks ${from} to ${to}: ${reason}\n`)
    },
  }
}

function fieldsOf({ network, done, total, blocksPerS }: WaitProgress) {
  const missing = total - done
  const eta = missing === 0 ? 0 : blocksPerS === null || blocksPerS <= 0 ? null : Math.ceil(missing / blocksPerS)
  return {
    network,
    done,
    total,
    blocks_per_s: blocksPerS === null ? null : Math.round(blocksPerS * 10) / 10,
    eta_s: eta,
  }
}

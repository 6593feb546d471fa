import type { ListName, Operations } from '@dexfeed/client'
import { type Signal, useSignal } from '@preact/signals'
import { api } from './api.ts'
import { type Resource, useResource } from './use-resource.ts'

/** All pages are read again after each interval. */
const MAX_PAGES = 10

export type Row<Name extends ListName> = Operations[Name]['result']['data'][number]

interface Rows<Name extends ListName> {
  rows: readonly Row<Name>[]
  hasMore: boolean
}

export interface Pages<Name extends ListName> {
  state: Signal<Resource<Rows<Name>>>
  reload: () => void
  /** Shows another page below. */
  more: () => void
}

/** Reads the first page of a list, or as many pages as the user asks for, and all of them again after each interval. */
export function usePages<Name extends ListName>(
  name: Name,
  parameters: Operations[Name]['parameters'],
  { refreshMs }: { refreshMs: number },
): Pages<Name> {
  const list = JSON.stringify([name, parameters])
  const shown = useSignal({ list, pages: 1 })
  const count = shown.value.list === list ? shown.value.pages : 1
  const { state, reload } = useResource(
    `${list} ${count}`,
    async (signal): Promise<Rows<Name>> => {
      const rows: Row<Name>[] = []
      let left = count
      for await (const { data, next } of api.pages(name, parameters, { signal })) {
        rows.push(...data)
        left--
        if (left === 0) return { rows, hasMore: next !== null && count < MAX_PAGES }
      }
      return { rows, hasMore: false }
    },
    { refreshMs, keepPrevious: true },
  )
  const more = () => {
    shown.value = { list, pages: count + 1 }
  }
  return { state, reload, more }
}

import type { TokenFigures } from '@dexfeed/client'
import { useSignal } from '@preact/signals'
import { useEffect, useId } from 'preact/hooks'
import { api } from '../data/api.ts'
import { useResource } from '../data/use-resource.ts'
import type { NetworkName } from '../format/networks.ts'
import { plainName } from '../format/plain-name.ts'
import { shortHex } from '../format/short-hex.ts'
import { Price } from './figures.tsx'
import { TokenName } from './links.tsx'

const OPTIONS = 8
/** Search after typing pauses for this long. */
const PAUSE_MS = 150

interface TokenSearchProps {
  label: string
  network: NetworkName
  /** A symbol or an address. */
  value: string
  onChoose: (value: string) => void
}

/** Finds tokens by symbol, name or address, by keyboard or pointer. */
export function TokenSearch({ label, network, value, onChoose }: TokenSearchProps) {
  const id = useId()
  const text = useSignal<string | null>(null)
  const searched = useSignal<string | null>(null)
  const active = useSignal(0)
  const typed = text.value
  const chosen = useTokenText(network, value)
  useEffect(() => {
    const timer = setTimeout(() => {
      searched.value = typed === null || typed.trim() === '' ? null : typed.trim()
      active.value = 0
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  const q = searched.value
  const { state } = useResource(
    q === null ? null : `search ${network} ${q}`,
    (signal) => api.call('search', { q: q ?? '', network, limit: String(OPTIONS) }, { signal }),
    { keepPrevious: true },
  )
  const options = q === null ? [] : (state.value.data?.tokens ?? [])
  const isOpen = typed !== null && q !== null
  const choose = (token: TokenFigures | undefined) => {
    if (token !== undefined) onChoose(token.address)
    else if (typed !== null && typed.trim() !== '') onChoose(typed.trim())
    text.value = null
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') text.value = null
    if (event.key === 'Enter' && typed !== null) {
      event.preventDefault()
      choose(options[active.value])
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 || options.length === 0) return
    event.preventDefault()
    active.value = (active.value + step + options.length) % options.length
  }
  return (
    <div class="search">
      <input
        class="field"
        type="text"
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={isOpen ? `${id}-list` : undefined}
        aria-activedescendant={isOpen && options.length > 0 ? `${id}-${active.value}` : undefined}
        autocomplete="off"
        spellcheck={false}
        maxLength={128}
        value={typed ?? chosen}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onInput={({ currentTarget }) => {
          text.value = currentTarget.value
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          text.value = null
        }}
      />
      {isOpen && (
        <Options
          {...{ id, label, options, active: active.value, choose }}
          empty={state.value.loading ? 'Searching …' : (state.value.error?.message ?? 'No token is found.')}
        />
      )}
    </div>
  )
}

function useTokenText(network: NetworkName, value: string): string {
  const isAddress = value.startsWith('0x')
  const { state } = useResource(isAddress ? `token ${network} ${value}` : null, (signal) =>
    api.call('getToken', { network, address: value }, { signal }),
  )
  if (!isAddress) return value
  return plainName(state.value.data?.symbol ?? null) ?? shortHex(value)
}

interface OptionsProps {
  id: string
  label: string
  options: readonly TokenFigures[]
  active: number
  choose: (token: TokenFigures) => void
  empty: string
}

function Options({ id, label, options, active, choose, empty }: OptionsProps) {
  return (
    <div class="options">
      <div role="listbox" id={`${id}-list`} aria-label={`${label}: results`}>
        {options.map((token, at) => (
          <div
            key={token.address}
            class="option"
            id={`${id}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            onPointerDown={(event) => {
              event.preventDefault()
              choose(token)
            }}
          >
            <TokenName {...{ symbol: token.symbol, address: token.address, listed: token.listed }} />
            <span class="option-note">{plainName(token.name)}</span>
            <Price value={token.price_usd} />
          </div>
        ))}
      </div>
      {options.length === 0 && (
        <p class="option-empty" role="status">
          {empty}
        </p>
      )}
    </div>
  )
}

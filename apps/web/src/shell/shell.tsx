import { PageView } from '../routing/page-view.tsx'
import { path } from '../state/place.ts'
import { theme, toggleTheme } from '../state/theme.ts'
import { NodeBadge } from './node-badge.tsx'
import { SiteSearch } from './site-search.tsx'

const LINKS = [
  { href: '/', label: 'Market' },
  { href: '/tokens', label: 'Tokens' },
  { href: '/pools', label: 'Pools' },
  { href: '/trade', label: 'Trade' },
  { href: '/explain', label: 'Explain' },
] as const

export function Shell() {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <div class="top-inner">
          <a class="brand" href="/">
            <svg viewBox="0 0 32 32" aria-hidden="true">
              <rect width="32" height="32" rx="8" />
              <path d="M7 20.500c4.500 0 4.500-9 9-9s4.500 9 9 9" />
              <circle cx="25" cy="20.500" r="2.600" />
            </svg>
            dexfeed
          </a>
          <nav aria-label="Pages">
            {LINKS.map(({ href, label }) => (
              <a key={href} href={href} aria-current={path.value === href ? 'page' : undefined}>
                {label}
              </a>
            ))}
            <a href="/docs/guide" aria-current={path.value.startsWith('/docs/guide') ? 'page' : undefined}>
              Guide
            </a>
            <a href="/docs" aria-current={path.value === '/docs' ? 'page' : undefined}>
              API
            </a>
          </nav>
          <SiteSearch />
          <NodeBadge />
          <ThemeToggle />
        </div>
      </header>
      <PageView />
      <footer class="bottom">
        <p>
          Market data of decentralised exchanges, read from the chains themselves. Times are UTC. Charts:{' '}
          <a href="https://www.tradingview.com/" target="_blank" rel="noopener noreferrer">
            TradingView Lightweight Charts™
          </a>
          , © 2025 TradingView, Inc.
        </p>
      </footer>
    </>
  )
}

function ThemeToggle() {
  const isDark = theme() === 'dark'
  return (
    <button
      type="button"
      class="icon-button"
      onClick={toggleTheme}
      aria-label={isDark ? 'Use light colours' : 'Use dark colours'}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        {isDark ? (
          <path d="M10 6.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7M10 1.500v2M10 16.500v2M1.500 10h2M16.500 10h2M4 4l1.400 1.400M14.600 14.600 16 16M4 16l1.400-1.400M14.600 5.400 16 4" />
        ) : (
          <path d="M16.500 12.200A7 7 0 0 1 7.800 3.500a7 7 0 1 0 8.700 8.700z" />
        )}
      </svg>
    </button>
  )
}

import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'

const PURE = ['common/api/', 'common/workload/', 'deepmerge', 'node:crypto']
const PLANNING = [
  ...PURE,
  ...['checks', 'compliance', 'starting-base', 'outcome', 'policy-check', 'wish'].map(
    (name) => `controller/reconcile/${name}.ts`,
  ),
  'type controller/reconcile/',
]
/** The longest matching place counts. `type x` allows only imports that are erased. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  'common/': ['common/', 'node:', 'pino', 'prom-client'],
  'common/api/': PURE,
  'common/workload/': PURE,
  'common/schema/': ['common/', 'ajv', 'ajv-formats'],
  'common/kube/': ['common/', 'node:', 'undici', '@kubernetes/client-node'],
  'webhook/': ['webhook/', 'common/', 'node:', 'express', 'fast-json-patch'],
  'controller/': ['controller/', 'common/', 'node:'],
  // the deciding half of the spine: pure, and only beside itself
  'controller/reconcile/plan.ts': PLANNING,
  'controller/reconcile/checks.ts': PLANNING,
  'controller/reconcile/starting-base.ts': PLANNING,
  'controller/reconcile/policy-check.ts': PLANNING,
  'controller/reconcile/wish.ts': PLANNING,
  'controller/reconcile/outcome.ts': [...PURE, 'type controller/reconcile/'],
  'controller/reconcile/compliance.ts': PLANNING,
  'controller/reconcile/status.ts': PLANNING,
}

/** What only a `main.ts` may touch: everything else is given its world. */
const WORLDLY = /\bprocess\.|\bnew Date\(\)|\bDate\.now\(|\bMath\.random\(/

const SOURCES = globSync('{common,webhook,controller}/**/*.ts')
const IMPORT = /^(?:import|export)\s+(type\s+)?[^'"]*?from\s+'([^']+)'|^import\s+'([^']+)'/gm

/** What `file` imports: `type ` before it where the import is erased; paths from the root. */
function importsOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].map(([, type = '', from, bare]) => {
    const target = from ?? bare ?? ''
    return `${type ? 'type ' : ''}${target.startsWith('.') ? join(dirname(file), target) : target}`
  })
}

function strays(file: string): readonly string[] {
  const places = Object.keys(MAY_IMPORT).filter((place) => file.startsWith(place))
  const place = places.sort((a, b) => b.length - a.length)[0] ?? ''
  const allowed = MAY_IMPORT[place] ?? []
  return importsOf(file).filter((found) => {
    const target = found.replace(/^type /, '')
    return !allowed.some((prefix) =>
      prefix.startsWith('type ')
        ? found.startsWith('type ') && target.startsWith(prefix.slice(5))
        : prefix.endsWith('/') || prefix.endsWith(':')
          ? target.startsWith(prefix)
          : target === prefix || target.startsWith(`${prefix}/`),
    )
  })
}

describe('the architecture', () => {
  it('sees the sources', () => expect(SOURCES.length).to.be.greaterThan(30))

  for (const file of SOURCES) {
    it(`${file} imports only what its place allows`, () => expect(strays(file)).to.deep.equal([]))

    if (!file.endsWith('/main.ts'))
      it(`${file} is given its world`, () => {
        const code = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
        expect(WORLDLY.exec(code)?.[0]).to.equal(undefined)
      })
  }

  for (const file of globSync('{common,webhook,controller,sandbox,crds,certs,test}/**/*.ts')) {
    it(`${file} has one subject: at most 250 lines, no any, no !`, () => {
      const text = readFileSync(file, 'utf8')
      expect(text.split('\n').length - 1).to.be.at.most(250)
      expect(/\bas any\b|: any\b|<any>/.exec(text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|\/.*\/\S*/g, ''))?.[0]).to.equal(
        undefined,
      )
    })
  }

  it('lets only common/kube see the client library', () => {
    const elsewhere = globSync('{common,webhook,controller,sandbox,certs,crds,test}/**/*.ts').filter(
      (file) => !file.startsWith('common/kube/') && importsOf(file).some((found) => found.includes('client-node')),
    )
    expect(elsewhere).to.deep.equal([])
  })
})

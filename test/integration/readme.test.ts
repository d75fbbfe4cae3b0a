import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { runScript, SCRIPTS } from '../scripts.ts'
import { aSource, usesProduct } from './product.ts'

const README = readFileSync('README.md', 'utf8')

const blocks = (language: string): readonly string[] =>
  [...README.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block)

describe('the README, on the real control plane', () => {
  const place = usesProduct()

  it('has an example of ten lines that is accepted and becomes Ready, with the commands around it', async () => {
    const [example = ''] = blocks('yaml')
    expect(example.trim().split('\n')).to.have.length.of.at.most(10)
    await aSource(place(), 'cart')
    const dry = await place().kubectl(['apply', '--dry-run=server', '-f', '-'], example)
    expect(dry.text).to.contain('[Plan] creates deployment/cart-experiment-').and.to.contain('created (server dry run)')
    expect((await place().kubectl(['apply', '-f', '-'], example)).code).to.equal(0)
    await place().reaches('faster-cart', 'Available')
    expect((await place().kubectl(['get', 'expd'])).text).to.match(/faster-cart\s+Deployment\/cart\s+1\/1\s+True/)
    expect((await place().kubectl(['scale', 'expd/faster-cart', '--replicas=2'])).code).to.equal(0)
    await place().shows('faster-cart', 'two pods', ({ status }) => status?.readyReplicas === 2)
    expect((await place().kubectl(['delete', 'expd/faster-cart'])).code).to.equal(0)
  })

  it('has a strategy that can be added to the example, and is told step by step', async () => {
    const [example = '', strategy = ''] = blocks('yaml')
    expect(strategy).to.match(/^ {2}strategy: /)
    await aSource(place(), 'canary', { replicas: 9 })
    const canary = `${example.replace('name: cart}', 'name: canary}')}${strategy}`
    const { code, text } = await place().kubectl(['apply', '--dry-run=server', '-f', '-'], canary)
    expect(code, text).to.equal(0)
    expect(text).to.contain(
      '[Plan] steps: 10% 1 of 10 pods; pause 1h; 50% 9 of 18; pause until resumed; wait until promoted',
    )
  })

  it('names only scripts that exist', async () => {
    const texts = `${README}${readFileSync('CONTRIBUTING.md', 'utf8')}`
    const named = [...texts.matchAll(/npm (?:run )?(test(?::\w+)?|demo|sandbox|bench|corpus|certs|fuzz)\b/g)].map(
      ([, name = '']) => name,
    )
    expect(named).to.include.members(['demo', 'test', 'sandbox', 'bench', 'corpus', 'certs', 'fuzz', 'test:faults'])
    for (const name of named) expect(SCRIPTS).to.have.property(name)
  })

  it('names benchmarks that describe what they measure', async () => {
    const { code, said } = await runScript('bench', 'nonsense')
    expect(code).to.equal(2)
    const measured = /`npm run bench -- ([a-z ]+)` measured/.exec(README)?.[1]?.split(' ') ?? []
    expect(measured).not.to.deep.equal([])
    for (const name of ['scale', 'restart', 'argo', ...measured]) expect(said).to.contain(`  ${name}: `)
  })
})

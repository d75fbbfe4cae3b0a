import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { request } from 'undici'
import { parse } from 'yaml'
import { at, listOr } from '../../common/json/json.ts'
import { freePorts } from '../../sandbox/ports.ts'
import { simulatedPods } from '../../sandbox/traffic/simulated-pods.ts'

/** The names of metrics, and the labels, that the shipped templates ask Prometheus for. They leave out others. */
function askedInTemplates(): readonly { readonly names: readonly string[]; readonly matchers: readonly string[] }[] {
  return globSync('manifests/analysis-templates/*.yaml')
    .flatMap((file) => listOr(at(parse(readFileSync(file, 'utf8')), 'spec', 'metrics')))
    .map((metric) => at(metric, 'prometheus'))
    .filter((asked) => asked !== undefined)
    .map((asked) => ({
      names: ['events', 'total']
        .flatMap((key) => (at(asked, key) === undefined ? [] : [String(at(asked, key))]))
        .concat(at(asked, 'histogram') === undefined ? [] : [`${at(asked, 'histogram')}_bucket`]),
      matchers: listOr(at(asked, 'matchers'))
        .map(String)
        .filter((matcher) => !matcher.includes('!~')),
    }))
}

describe('a simulated pod', () => {
  async function aPod() {
    const [port = 0] = await freePorts(1)
    const pods = simulatedPods()
    await pods.listen(port)
    const get = async (path: string) => {
      const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`, { reset: true })
      return { statusCode, text: await body.text() }
    }
    return { ...pods, get }
  }

  it('N28: has every metric that a shipped template and the guide ask for', async () => {
    const pod = await aPod()
    for (const path of ['/', '/checkout'])
      expect(await pod.get(path)).to.deep.equal({ statusCode: 200, text: '127.0.0.1' })
    const { text } = await pod.get('/metrics')
    const asked = askedInTemplates()
    expect(asked.length).to.be.above(3)
    for (const { names, matchers } of asked)
      for (const name of names) expect(text).to.match(new RegExp(`^${name}\\{.*${matchers.join(',')}.*\\} [1-9]`, 'm'))
    expect(text).to.contain('http_requests_total{code="200",route="/checkout"} 1')
    await pod.close()
  })

  it('N28: counts from 0 where its address was given to another pod, and not where it is the same one', async () => {
    const pod = await aPod()
    const counted = async () => /^http_requests_total\{.*\} (\d+)$/m.exec((await pod.get('/metrics')).text)?.[1]
    await pod.get('/')
    for (const uid of ['first', 'first']) pod.behave({ '127.0.0.1': { uid } })
    await pod.get('/')
    expect(await counted()).to.equal('2')
    pod.behave({ '127.0.0.1': { uid: 'second' } })
    expect(await counted()).to.equal(undefined)
    await pod.close()
  })
})

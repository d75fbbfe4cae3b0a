import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { parse } from 'yaml'
import { at, listOr } from '../../common/json/json.ts'

/** The columns of a CRD: those that are always shown, and those of `-o wide`. */
function columnsOf(file: string) {
  const [version] = listOr(at(parse(readFileSync(`crds/${file}.yaml`, 'utf8')), 'spec', 'versions'))
  const columns = listOr(at(version, 'additionalPrinterColumns'))
  const names = (isWide: boolean) =>
    columns.filter((column) => (at(column, 'priority') === 1) === isWide).map((column) => `${at(column, 'name')}`)
  const path = (name: string) =>
    at(
      columns.find((column) => at(column, 'name') === name),
      'jsonPath',
    )
  return { always: names(false), wide: names(true), path }
}

describe('the columns of kubectl get', () => {
  it('show of an experiment in wide why it waits and who asked for it, and else no more than before', () => {
    const { always, wide, path } = columnsOf('experimentdeployments')
    expect(always.join(' ')).to.equal('Source Pods Ready Share Step Verdict Status Expires Age')
    expect(wide.join(' ')).to.equal('Image Changes Experiment Paused By')
    expect(path('Paused')).to.equal('.status.conditions[?(@.type=="Paused")].reason')
    expect(path('By')).to.equal('.metadata.annotations.experiment-controller\\.example\\.com/requested-by')
  })

  it('show of a policy whether it can match anything, and in wide its limits', () => {
    const { always, wide } = columnsOf('experimentpolicies')
    expect(always.join(' ')).to.equal('Experiments Violations Actions Valid Age')
    expect(wide.join(' ')).to.equal('MaxReplicas MaxShare MaxTTL')
  })

  it('show of an analysis run what it says, last because it may be long', () => {
    const { always, path } = columnsOf('experimentanalysisruns')
    expect(always.join(' ')).to.equal('Experiment Verdict Looks Requests Since Age Message')
    expect(path('Message')).to.equal('.status.message')
  })

  it('are what the remedies and the alert name', () => {
    expect(readFileSync('docs/reasons.md', 'utf8')).to.match(/\| `HarmFound` \|.+`MESSAGE` of `kubectl get expdrun`/)
    expect(readFileSync('manifests/monitoring/alerts.yaml', 'utf8')).to.contain('MESSAGE of kubectl get expdrun')
    for (const page of ['reasons', 'analysis', 'metrics'])
      expect(readFileSync(`docs/${page}.md`, 'utf8')).to.not.contain('kubectl describe expdrun')
  })
})

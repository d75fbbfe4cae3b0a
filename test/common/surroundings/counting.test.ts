import { expect } from 'chai'
import { countingAutoscaler } from '../../../common/surroundings/counting.ts'
import { aDeployment, aFork } from '../../builders.ts'

const hpa = (name: string) => ({ name: 'scaler', target: { kind: 'Deployment', name }, min: 1, max: 9, isOnCpu: true })

describe('the autoscaler that counts the pods of a fork', () => {
  const source = aDeployment()

  it('is that of its source, if the selector of the source matches them', () => {
    const autoscalers = [hpa('other'), hpa('cart')]
    expect(countingAutoscaler({ source, fork: aFork() }, autoscalers)).to.equal(autoscalers[1])
  })

  it('is none if that selector does not match them', () => {
    const fork = aFork(source, { labels: { app: 'other' } })
    expect(countingAutoscaler({ source, fork }, [hpa('cart')])).to.equal(undefined)
  })

  it('is none without a source, and without an autoscaler of it', () => {
    expect(countingAutoscaler({ source: undefined, fork: aFork() }, [hpa('cart')])).to.equal(undefined)
    expect(countingAutoscaler({ source, fork: aFork() }, [hpa('other')])).to.equal(undefined)
  })
})

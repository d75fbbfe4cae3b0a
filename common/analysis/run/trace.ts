import { MAX_TRACE, type RunPoint } from '../kinds/run.ts'

/**
 * A trace with one more point. When it is full, every second point is dropped, but never the first one. So it always
 * covers the whole time.
 */
export function withTracePoint(trace: readonly RunPoint[], point: RunPoint): readonly RunPoint[] {
  const kept = trace.length < MAX_TRACE ? trace : trace.filter((_, index) => index % 2 === 0)
  return [...kept, point]
}

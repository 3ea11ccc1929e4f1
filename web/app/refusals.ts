// What the host's Content-Security-Policy refuses this document; what it refuses the engine, the engine's failures say.

interface Refusal {
  readonly disposition: string;
  readonly effectiveDirective: string;
  readonly address: string;
}

/** `tell` gets the directive and what could not be loaded, once for each directive. */
export function onRefusal(tell: (directive: string, address: string) => void): void {
  const told = new Set<string>();
  const take = ({ disposition, effectiveDirective, address }: Refusal): void => {
    if (disposition === 'report' || told.has(effectiveDirective)) return;
    told.add(effectiveDirective);
    tell(effectiveDirective, address);
  };
  document.addEventListener('securitypolicyviolation', (event) =>
    take({ ...fields(event), address: event.blockedURI }),
  );
  if (typeof ReportingObserver === 'undefined') return;
  // Fonts and styles come before this script does.
  const earlier = ({ body }: Report): void => {
    const report = body as unknown as Omit<Refusal, 'address'> & { blockedURL: string };
    take({ ...fields(report), address: report.blockedURL });
  };
  new ReportingObserver((reports) => reports.forEach(earlier), { types: ['csp-violation'], buffered: true }).observe();
}

const fields = ({ disposition, effectiveDirective }: Omit<Refusal, 'address'>) => ({ disposition, effectiveDirective });

// What the host's Content-Security-Policy refuses this document; what it refuses the engine, the engine's failures say.

/** `tell` gets the directive and what could not be loaded, once for each directive. */
export function onRefusal(tell: (directive: string, address: string) => void): void {
  const told = new Set<string>();
  document.addEventListener('securitypolicyviolation', ({ disposition, effectiveDirective, blockedURI }) => {
    if (disposition === 'report' || told.has(effectiveDirective)) return;
    told.add(effectiveDirective);
    tell(effectiveDirective, blockedURI);
  });
}

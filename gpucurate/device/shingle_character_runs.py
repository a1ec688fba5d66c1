"""Classes and case of the 65,536 lowest code points, frozen at Unicode 15.1: data for `shingle_characters.py` alone.

Base 85 of a zlib stream of runs.  Printed by `tests/device/shingle_character_reference.py`; a test compares it with
the interpreter's own database.
"""

from __future__ import annotations

RUNS = r"""
c-q}qU1(fY5T2QHfA-$p&2E}BiRn+a8k3aNHL)SaA22EkRul!XR6+1TK@k+{n=h%YD5Zry)u%?PB8Wcq#UCtou@AmjeW*q3gI4@QYe5B#QL5j}J-
fLH!A40U7IyBLbI#11Idi`=XYLY>a7uB5dnp193zG;llLN;}EM$Fa9dU!Z^$~Lq`h^&CD@ZQK%LQa*C4D&=&U5RBq}Ba6V?RuEeL3y;Xu|I`$M|%
D_UDAZu@MLEPaSzCooD?}+HA62`2O>0Yfmqw&2YqJ8^}MGAuuv$>3F~=WZ46_H(HutynEIe|5408{^q>*2NHh4@oR1|jhz&5iP|_MbPTKQ{6uqGW
Ktv?5Wf{NMPI4RXA0z94&3jG_6D~rq!Yeu^q)gI{Mycob%$)ty^%ZPstvC3$Z|vu=HnGUX7lL&|Ll;h1`!{Y0pI~p;LQ|>fWN{}lV!Rr+ZA{nP!-
TRz@tbZZ$s~4&3Bp;IR$knaHz`HLH{A3Z(KA-vRM|c(;8k69o5x58Bqco%)4|l1=C^1gmw8Y@Uc&_0s4s_58wvFh`JP_UjjwK-dVNe%ycl%inK^f
F7)%x+>7-fSX-r{=_grQpQj&sFP)LvshDRewh{aBh2A&yn%+CC;d0(<&|*rhAHf&35%_B*3%)Z_KTFUHTQb?pVg$J?kzGn5m%SIbi?9=E?IOUc((
+oo*9DG+ZRdrYUfS|FuN#?u(278*wboYOhN5ppSM3npOE$U&{`UBI>dLXjJFt1Sl_OZx*p%g33Z-Hm47T<kf_gmP4Y|<svB~L9Y6y~}ie1czl|<Y
rS$;6WTIz8>+D`LFc@|*Eq9#}~z<S%@$DJaLlQ;&9C!%Rj;bCZe(A<3NmsftXZ#OM6r`x#3^EcaTPq4h>s-zU1In;L7Xr!>k$l1WKi&Tq3BjnpLR
7AwPpwI;@cIF~2;P3JA6MGXHyLOu^g5LqXVc578c<RGg$*zFFkTGPjEAkeMX;D)|DRZeE#v35Hfy6ANRJLQ@N27cPRzeLVDJPPEe-f)tU@iqeYWR
rH@56e6r^As~F9xyF)c-yit|BEfU&=+Wi+TZAmbzlP0KSm#6W2LUHrtkyRMKNDb$Q##82g-Wh<`c=#+nxZ=1&Cz#1`r@9m<fx+Jw%B@>8gaJMCCR
7*{ZtX)DfVMQ<btKv}ZYBd^IS()959=i(E^%yW)k-0e(^-K)AU(d-ghUb9jBst;DV0~?NDBoSmu<PI}vgajac7?bQ10sKCZ0uEp&24m3O7~Dvg$P
h(x3)&*B<?E$)ntP>}yW|a3LZXy$D#+t#XEeKSlr1zVQ$kaLjL=$Gk7N+WY7ltju#9Bo)ce0W{^AJpx4*ar<;W{27tdn$O|(a}bZizZg_&7*v7A+
;ea{6}&Lno(3>cI`<0q^RuHZ7sF6+Oe8eIw58bV!{UW9oEmE;stuT=3e14=Pb0vaj?B)gOBo!@KkUT_<++y_$h=<V@<;U_>Qtw}!>6-T1^IhBoEP
&-lsKZy3&r_B42Y~^ZrS%=sA_3mF!ohul+$lv+@R)0HPuGP&FKUY_q(k6d!rnD$<GSAN)t;`*pCHs5u-3osKItJPU(mwNd?^Jje_WnTI7`~v9Y2g
FVJ25-wABAzVn$6efJ?7a}n#_QT$mf}e$8a<2ov-ykkJSfkH*`P7H=utbvWO-`#he1G&DRdysF!Y2tLRs)K1ew$OT<d^=5bIAw?Y0XUq7qv%iCeR
8_9T-_S_`r6!wqO0K`i$6Qb;3D_g<^-w=<{CjMT9t2_xy<ESri&{Q10R8d7#Y0{LQW$MWP1yhs>By*SZ&uVGO{*uuTmNMusQO~r)
"""

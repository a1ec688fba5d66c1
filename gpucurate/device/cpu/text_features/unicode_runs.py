"""The flags of all code points, frozen at Unicode 15.1: data for `characters.py`, and nothing else.

Base 85 of a zlib stream of runs (distance as a varint, flags).  Printed by `tests/device/cpu/unicode_reference.py`,
whose test compares it with the interpreter's own database.
"""

from __future__ import annotations

RUNS = r"""
c-n<mO^h5z6@FD+HQik^^Jceq_Qz%K?yT9Y?Oktq<G;j!q6QNqD+rJfM&W=!2qHlwf;i@4MG-!P+z?0{e1IqixP%K}P6h=bK_Y<!J|Pr=fCEv)33
23muWH9@1L06J-SzY8{e16xugPrnhDI1B1oHCFk(@36<|MUj$aaQYu$VJc1^G3h!rLmwCdRKSay%ktPqi#!EXL>XX4sNtr!xaxsr1?K6yp;ZFX1K
D{Ho0DV6W^u12yWnj|Ew@Wf*GsIPP&Y?gkX%kW6R#iud9&RCjEn;m`Mw9_vod4KO3;uo439h3vkfQ71bLZ^Yx6c{&bpBV&Clw$Qbb^8`s)Tfs?#S
raP^Ppvoyqw2*G$D-IgB+qMj8$cIJgV^wHT<c8S;>&uf6Kyy|+d~KJTZm$R1L@+I6+GA3sjy1)$8Hj>t(>L?dO&;en#@5<`5ma2#2;3r4Rp_aX?8
xW`p=Wg5~;#_U7}G3XvH!!R4HwV%~2`7=+r<;r9*C>s9(h%@y#Hw{fA9Q&(Cc_RI3Lq5?z8sGoxYvPlz;!e_N1Z^;zaCV9dduO0{trEm7h(rg8Mp
A=@CZT$tZ&%I-Sqy?V;dZD@i<pxAK#e0V_rqcR5ByL0`;%Ohar(1T~-*CS_en-@Qay4bvw@uD|&uxYJ$U$m+<Mozsdv1@36JLIl$I*2A&$n~j~h+
zIyf+h+35;85VmFJ-QT0C2w*96o3HaVK%o>j3TOv@d403&MuHlAd~vX=~t+tgz9O4^Il1R21-OM~c=i&cURqEV{wK8_>2V~56NNA2-y(;lARv>H@
f;GUn)l>e>&vNpm0mGXR5p<|JH4rw%n%NA&XZ(v2>^0t$#<V7Qd<@qTPR0T_F?x0D_OHuN*#haxOk8_OVIbDpiKKsul%_ewAye)aIL>Q}1EkeYfh
CC0SoQ&D7YZQd|qTq2vjbwM)P=628S;&i!G^9s(RkAN#ioi)+7c`YS#>w;!XE*6l;PzZxgvOP67fgYSY@vm4R|TFLD}SAh4E?te8?gs_B_lAu-CL
lihL@4er2G<>*+EZa24^1eeAmRDzh%{BR(V$bo8s`pv5C1$M>wg{XXPeknXw=_&zVu@Xew-IZ0C)X5a?@xD{yQ;`3S~zKwlTMTnK9c4eHA=U5Hz>
$ii)ck5F#&r9zlF3=H^Hs)xs#)1q?$zVLL<hxgM*!wUV=g$;VU;lD`L03wl@9`~DI9>U<`T9+nKa=TUg-etrYC9MNe7FS@`4=R(X-zK|j=-6&635
sCbAXmC{BNJT0)#=k1P&o<gKZ8Iy3TZ|MX@O=ie<MihPW1T{{_om!_X73l<|~F@Zs{r~Mf1yWCIY*lls^SP;0yr~ZvuqZgt|*9GPH^CTYd(khp~s
G>1hqcMrhV37!-(6syE1%FDlF$$T}ap3||mwr}<<urQzliLNmRb9Rqsnpe6@Rm};CY!Au@x699g%#K&;1+}IRytokagQXvXHP%^EAIyIS$CexZy@
-X_|DnSN?W*+xLCEjEN`D?N1O_4s}S3U*BR)LL2>BSGGcO(Q~q8%I<!2w<`5T}jRA&1o@k7sF%|8A*+*DPPA(^^^<lx4&>EuJgDdCg|#k)&HwA-8
fnWZtE18VFUT$3bk>5o07jPjtCcl3j+EiY^nZF`eY+X%zM`uFxWyt*;_nFBtJV%mZ|TG(WQ-q&7uTH9^3=6U9(aj}W&cG}2?2Zx=SxNg1cnJ6(iV
hI-rm3jN^wRsOM1<qBfZz*=COceOY@$))Mwv!x(QQmx{WMt^HiM-y5)C?@&fc_j#CM7oCLL+^;hg?B^Br4|wN(P@ecp{y&z1D}vF7G(0ecAM+yGG
|ItCvd{Swgtp0Kts8C3HLN8p{pq2ALr}z7+;_<Mjc={GNyqGUbSH}n-Oy#@e}~K4sc61xe|xL^`2IwR)CLpcp0Lm!V%bYDNY0kVMBRT%x|IcKB^+
(-%B!uPTX)zdMTt&g-coSAYG}^6Aiyddr6}b4<fS@j>m0SS1lBk!ks8=Ll`5SrE;nAf9@`xI8qvOyh1OGcMi43>)q~uc3`G-BZnQ>VbA0x1xfme3
J`k9z}!xilhPuLQPBnzo)$(?UmDyfl3LZy_Y;=R@+7t`_IcY7+jh{Ak8_7fm(j7?I6>$}eXbmLfFVqLfqOJUBURdzQY0eQwDnOJWqydZwB0SlUDN
%iREhGT0aK3SH}Gkhfg`j$>c@gXbDxmM!lVY7ew}Vv?X(`zjusoRbsW}n0!8=@@w-0v-40Z#=3gMSUe#z;4a$yL^kvl-dw*onaEKS{!f!%7C$p2K
uw%;&DMVqJ_V_zBeKC9mmGE^#Z%p}f=&WCBx&<xW6Z-xp|I*Q&t9%D-r!*T97g+K!%4Jkk7UBtTzc4Zy`#uN2XiK{cvzF*J4@a-61D`=}<kY2)K|
QJFeGaaE16X{${p%dOcCQ72wDh+pQN>JxByBRkXK8{?X&oib;-9hD@HZ-YvEwh}qA_wyx)4yl1Pr~wAGTwHhO2ZtckF|%f!76Z8wk=jg$14m<VP6
KhGTTg@F$_mhszhEDOeU<j|%q1s1KBuuqp2+N>2FFL&)6ktR|(=vH5@gp;9<cHywQ9;(7hz;+P9-r_r6zZyM~Dp#MI1^^0mni92k6g0^ttIo^krH
8imLHEQT*7R?(zgn@U5se2VjOdkH~RZTZ1f5X2JzHTA)41Y+0E&IMb2=B|^+2H(-pfE_^@bi4|csXneEr%k|%)hkV1HDxB(Ef+V;hHOcbw}ih?8V
agd3}D};e+eX^40zICcTB;ewKbZLo@J4>5yL72ReTEUcluYN8epaw;layn0~#3mgub+{q`q&AkB^LvvkwMe;E2V2vPSX
"""
